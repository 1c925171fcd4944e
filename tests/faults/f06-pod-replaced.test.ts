import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { kubectl, kubectlJson, kubectlWithInput } from '../support/kubectl.ts';
import { podsOf } from '../support/sync-place.ts';
import { webDeployment } from '../support/workloads.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f06', (name) => [
    webDeployment(name, { replicas: 1 }),
    webDeployment(name, { name: 'other', replicas: 1 }),
  ]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

/** Waits for another pod than `before` that is ready, and tells when. */
async function replaced(
  label: string,
  before: string,
): Promise<{ readonly pod: string; readonly readyAt: number }> {
  return eventually(
    async () => {
      const { items } = await kubectlJson<{ items: V1Pod[] }>(
        '-n',
        namespace.name,
        'get',
        'pods',
        '-l',
        label,
      );
      const ready = items.find(
        ({ metadata, status }) =>
          metadata?.name !== before &&
          metadata?.deletionTimestamp === undefined &&
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
      );
      if (ready?.metadata?.name === undefined) throw new Error('No other pod is ready');
      return { pod: ready.metadata.name, readyAt: Date.now() };
    },
    60_000,
    100,
  );
}

it('F6 pod of a dev session deleted, its replacement has an empty root', async ({ task }) => {
  passesWhen(
    task,
    'nothing is deleted on the laptop, everything is uploaded again, sync and forward are back at most 5 s after Ready',
  );
  const port = await freePort();
  await using rig = await openOn('web');
  for (let index = 0; index < 300; index++)
    rig.write('here', `d${index % 10}/f${index}`, freshContent(2_000));
  const path = `${rig.local}:${rig.remotePath}`;
  const sync = rig.launch([
    ...['dev', '-n', namespace.name, 'deploy/web', '--path', path, '--port', `${port}:8080`, '--create-path'],
  ]);
  const ready = await sync.ready();
  rig.pod = ready.pod;
  rig.keepCanaries();
  await rig.converged(10_000);
  const page = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/`)).status;
  expect(await page()).toBe(200);
  for (const flags of [['--grace-period=1'], ['--grace-period=0', '--force']]) {
    const names = [...rig.trees[0].read().keys()];
    await kubectl('-n', namespace.name, 'delete', 'pod', rig.pod, '--wait=false', ...flags);
    const between = freshContent();
    rig.write('here', 'written meanwhile', between);
    const { pod, readyAt } = await replaced('app=web', rig.pod);
    rig.pod = pod;
    const took = await rig.converged(5_000, readyAt);
    await eventually(async () => expect(await page()).toBe(200), allowed(5_000) - (Date.now() - readyAt));
    measured(task, `back ${took} ms after Ready, the forward at most ${Date.now() - readyAt} ms`);
    expect(names.filter((name) => !existsSync(rig.here(name)))).toEqual([]);
    rig.keepCanaries();
  }
  await rig.verify();
});

it('F7 pod of a selector evicted, while helpers of the old one still run', async ({ task }) => {
  passesWhen(
    task,
    'as F6, and what an outdated helper still has to apply does not land: it ends at the newer epoch',
  );
  await using rig = await openOn('other', 'web');
  for (let index = 0; index < 300; index++)
    rig.write('here', `d${index % 10}/f${index}`, freshContent(2_000));
  const path = `${rig.local}:${rig.remotePath}`;
  await rig
    .launch([
      'sync',
      '-n',
      namespace.name,
      '-l',
      'app=other',
      '--container',
      'web',
      '--path',
      path,
      '--create-path',
    ])
    .ready();
  await rig.converged(10_000);
  const names = [...rig.trees[0].read().keys()];
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: rig.pod, namespace: namespace.name },
  };
  const before = rig.pod;
  await kubectlWithInput(
    JSON.stringify(eviction),
    ...['create', '--raw', `/api/v1/namespaces/${namespace.name}/pods/${before}/eviction`, '-f', '-'],
  );
  for (let edit = 0; edit < 10; edit++) {
    rig.write('here', `d${edit}/f${edit}`, freshContent());
    await sleep(50);
  }
  const { pod, readyAt } = await replaced('app=other', before);
  rig.pod = pod;
  measured(task, `back ${await rig.converged(5_000, readyAt)} ms after Ready`);
  expect(names.filter((name) => !existsSync(rig.here(name)))).toEqual([]);
  rig.keepCanaries();

  // A helper that is stopped while a batch is on its way to it, and goes on when another one has taken over.
  rig.read();
  const old = helperProcesses(rig.root);
  for (const pid of old) process.kill(pid, 'SIGSTOP');
  const since = Date.now();
  for (let file = 0; file < 20; file++) rig.write('here', `late/f${file}`, freshContent(10_000));
  await eventually(
    () => expect(rig.honesty.find(since, ({ state }) => state === 'reconnecting')).toBeDefined(),
    allowed(8_000),
  );
  await rig.converged(6_000);
  for (let file = 0; file < 20; file++) rig.write('here', `late/f${file}`, freshContent(10_000));
  await rig.converged(6_000);
  for (const pid of old) process.kill(pid, 'SIGCONT');
  await eventually(
    () => expect(helperProcesses(rig.root).filter((pid) => old.includes(pid))).toEqual([]),
    10_000,
  );
  expect(rig.differences()).toEqual([]);
  await rig.verify();
});

async function openOn(app: string, container = 'web'): Promise<FaultRig> {
  const { items } = await kubectlJson<{ items: V1Pod[] }>(
    '-n',
    namespace.name,
    'get',
    'pods',
    '-l',
    `app=${app}`,
  );
  const pod = items.find(({ metadata }) => metadata?.deletionTimestamp === undefined)?.metadata?.name ?? '';
  return FaultRig.open({ namespace: namespace.name, pod, container });
}
