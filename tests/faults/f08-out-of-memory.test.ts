import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { containerPid } from '../../sandbox/client.ts';
import { eventually } from '../support/eventually.ts';
import { kubectlJson } from '../support/kubectl.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

const limited = (memory: string) => ({
  container: { resources: { limits: { memory }, requests: { memory } } },
});

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f08', (name) => [
    barePod(name, 'killed', limited('64Mi')),
    barePod(name, 'tight', limited('32Mi')),
  ]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F8 container killed for memory and started anew with an empty root', async ({ task }) => {
  passesWhen(
    task,
    'nothing is deleted on the laptop, and all is back within 5 s after the container runs again',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'killed' });
  for (let index = 0; index < 300; index++)
    rig.write('here', `d${index % 10}/f${index}`, freshContent(2_000));
  await rig.start('--create-path');
  await rig.converged(10_000);
  const names = [...rig.trees[0].read().keys()];
  const before = containerPid(namespace.name, 'killed', 'main');
  // What the kernel's killer does to the first process of a container, whoever took the memory.
  process.kill(before, 'SIGKILL');
  rig.write('here', 'd0/f0', freshContent());
  await eventually(() => expect(containerPid(namespace.name, 'killed', 'main')).not.toBe(before), 60_000, 50);
  const took = await rig.converged(5_000);
  measured(task, `in sync ${took} ms after it ran again`);
  expect(names.filter((name) => !existsSync(rig.here(name)))).toEqual([]);
  rig.keepCanaries();
  await rig.verify();
});

it('F8 helper in a container of 32 MiB that another program fills', async ({ task }) => {
  passesWhen(task, 'it gets by or comes back, does not spin, and both sides are in sync in the end');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'tight', honestyEveryMs: 0 });
  for (let index = 0; index < 3_000; index++)
    rig.write('here', `d${index % 60}/f${index}`, freshContent(2_000));
  await rig.start();
  const since = rig.sync.events.length;
  const began = Date.now();
  // Takes all the memory there is until the kernel ends somebody: itself, or the helper.
  const hog = spawn(
    'kubectl',
    ['-n', namespace.name, 'exec', 'tight', '--', 'sh', '-c', 'tail /dev/zero; tail /dev/zero'],
    {
      stdio: 'ignore',
    },
  );
  for (let edit = 0; edit < 20; edit++) {
    rig.write('here', `d${edit}/f${edit}`, freshContent(100_000));
    await sleep(200);
  }
  await new Promise((resolve) => (hog.exitCode === null ? hog.on('close', resolve) : resolve(undefined)));
  await rig.converged(15_000);
  const connects = rig.sync.events
    .slice(since)
    .filter((event) => event.event === 'health' && event.message.startsWith('connecting')).length;
  const seconds = (Date.now() - began) / 1000;
  measured(
    task,
    `${connects} connections in ${seconds.toFixed(0)} s, helper at most ${rig.resources.highest('helperMib').toFixed(0)} MiB`,
  );
  expect(connects).toBeLessThan(4 + seconds * 2);
  expect(helperProcesses(rig.root)).toHaveLength(2);
  const pod = await kubectlJson<V1Pod>('-n', namespace.name, 'get', 'pod', 'tight');
  measured(task, `container restarts: ${pod.status?.containerStatuses?.[0]?.restartCount}`);
  await rig.verify({ helperMib: 32 });
}, 180_000);
