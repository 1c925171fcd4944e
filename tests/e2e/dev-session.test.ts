import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/session-events.ts';
import { containerRoot } from '../../sandbox/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, kubectlJson, makeNamespace } from '../support/kubectl.ts';
import { RunningSlipway, slipway } from '../support/slipway.ts';
import { treeOf } from '../support/tree-hash.ts';
import { webDeployment, webService } from '../support/workloads.ts';

const hash = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('a dev session', () => {
  let home = '';
  let folder = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'slipway-home-'));
    folder = mkdtempSync(join(tmpdir(), 'slipway folder-'));
    namespace = await makeNamespace('e2e-dev');
    await apply(webDeployment(namespace.name), webService(namespace.name));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterEach(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const deployment = (): Promise<V1Deployment> =>
    kubectlJson<V1Deployment>('-n', namespace.name, 'get', 'deployment', 'web');
  const names = async (): Promise<string[]> =>
    (
      await kubectl(
        '-n',
        namespace.name,
        'get',
        'deployments,leases,configmaps,secrets,services,persistentvolumeclaims',
        '-o',
        'name',
      )
    )
      .trim()
      .split('\n')
      .sort();
  const start = (...more: string[]): RunningSlipway =>
    new RunningSlipway({ home }, [
      'dev',
      '-n',
      namespace.name,
      'deploy/web',
      '--path',
      `${folder}:/app`,
      ...more,
    ]);

  it('runs a hundred edits each way and leaves the cluster as it was', async () => {
    const before = await deployment();
    const namesBefore = await names();
    writeFileSync(join(folder, 'mine.txt'), 'from the laptop');
    const port = await freePort();
    await using session = start('--port', `${port}:8080`);
    const ready = await session.ready();
    expect(ready.container).toBe('web');
    expect((await deployment()).spec?.replicas).toBe(0);
    const remote = containerRoot(namespace.name, ready.pod, 'web');

    for (let edit = 0; edit < 100; edit++) {
      const up = `up ${edit} ${'x'.repeat(edit * 37)}`;
      writeFileSync(join(folder, `up-${edit % 10}.txt`), up);
      const down = `down ${edit} ${'y'.repeat(edit * 41)}`;
      writeFileSync(join(remote, 'app', `down-${edit % 10}.txt`), down);
      await eventually(
        () => {
          expect(readFileSync(join(remote, 'app', `up-${edit % 10}.txt`), 'utf8')).toBe(up);
          expect(readFileSync(join(folder, `down-${edit % 10}.txt`), 'utf8')).toBe(down);
        },
        10_000,
        2,
      );
    }
    await eventually(() => expect(treeOf(join(remote, 'app'))).toEqual(treeOf(folder)));
    const body = await (await fetch(`http://127.0.0.1:${port}/mine.txt`)).text();
    expect(hash(body)).toBe(hash('from the laptop'));

    expect(await session.stop()).toBe(0);
    expect(session.events.at(-1)).toMatchObject({ event: 'stopped', remaining: [] });
    const after = await deployment();
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata?.labels).toEqual(before.metadata?.labels);
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations);
    expect(await names()).toEqual(namesBefore);
    expect(after.status?.readyReplicas).toBe(2);
  });

  it('keeps and reports what a colleague changed meanwhile', async () => {
    await using session = start();
    await session.ready();
    await kubectl('-n', namespace.name, 'set', 'env', 'deployment/web', 'COLLEAGUE=1');
    await kubectl('-n', namespace.name, 'scale', 'deployment/web', '--replicas=1');
    expect(await session.stop()).toBe(0);
    const after = await deployment();
    expect(after.spec?.replicas).toBe(1);
    expect(after.spec?.template.spec?.containers[0]?.env).toEqual([{ name: 'COLLEAGUE', value: '1' }]);
    const stopped = session.events.at(-1);
    expect(stopped?.event === 'stopped' ? stopped.kept.join(' ') : '').toMatch(/replicas.*1/);
  });

  it('is found as a leftover after a kill, and restored without its state folder', async () => {
    const before = await deployment();
    const namesBefore = await names();
    const session = start();
    await session.ready();
    const live = await slipway({ home }, 'leftovers', '-n', namespace.name, '--json');
    expect(live.stdout.trim()).toBe('');
    await session[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });

    const listed = await eventually(
      async () => {
        const result = await slipway({ home }, 'leftovers', '-n', namespace.name, '--json');
        expect(result.stdout).toContain('web');
        return result.stdout;
      },
      20_000,
      500,
    );
    expect(listed).toContain(namespace.name);
    const reset = await slipway({ home }, 'reset', 'pods', '-n', namespace.name);
    expect([reset.code, reset.stderr]).toEqual([0, expect.any(String)]);
    expect((await deployment()).spec).toEqual(before.spec);
    expect(await names()).toEqual(namesBefore);
  });

  it('leaves the dev pod with --keep, and says how to restore', async () => {
    await using session = start(
      '--keep',
      '--command',
      JSON.stringify(['httpd', '-f', '-p', '8080', '-h', '/app']),
    );
    const { pod } = await session.ready();
    expect(await session.stop()).toBe(0);
    const stopped = session.events.at(-1);
    expect(stopped?.event === 'stopped' ? stopped.remaining.join(' ') : '').toContain('slipway reset pods');
    expect((await deployment()).spec?.replicas).toBe(0);
    const kept = await kubectlJson<V1Pod>('-n', namespace.name, 'get', 'pod', pod);
    expect(kept.status?.phase).toBe('Running');
    expect(kept.spec?.containers[0]?.command).toEqual(['httpd', '-f', '-p', '8080', '-h', '/app']);
    const left = readdirSync(join(containerRoot(namespace.name, pod, 'web'), 'tmp'));
    expect(left.filter((name) => name.includes('slipway'))).toEqual([]);
  });

  it('leaves at once at a second signal while it restores, and says how to go on', async () => {
    await using session = start();
    const { pod } = await session.ready();
    // A pod that cannot go keeps the restore waiting.
    const finalizers = JSON.stringify({ metadata: { finalizers: ['example.test/keep'] } });
    await kubectl('-n', namespace.name, 'patch', 'pod', pod, '-p', finalizers);
    session.child.kill('SIGINT');
    await session.waitFor((event): event is Extract<SessionEvent, { event: 'phase' }> => {
      return event.event === 'phase' && event.phase === 'restore' && event.message.startsWith('Waiting');
    });
    // Closer together they would be one.
    await new Promise((resolve) => setTimeout(resolve, 700));
    session.child.kill('SIGINT');
    expect(await session.exited).toBe(131);
    expect(session.stderr).toContain('slipway reset pods');
    await kubectl(
      '-n',
      namespace.name,
      'patch',
      'pod',
      pod,
      '-p',
      JSON.stringify({ metadata: { finalizers: null } }),
    );
  });

  it('lets local edits win when the pod is deleted under it', async () => {
    writeFileSync(join(folder, 'index.html'), 'first');
    await using session = start();
    const first = await session.ready();
    writeFileSync(join(folder, 'index.html'), 'edited before');
    const oldRoot = containerRoot(namespace.name, first.pod, 'web');
    await eventually(() =>
      expect(readFileSync(join(oldRoot, 'app/index.html'), 'utf8')).toBe('edited before'),
    );
    await kubectl('-n', namespace.name, 'delete', 'pod', first.pod, '--wait=false');
    writeFileSync(join(folder, 'index.html'), 'edited meanwhile');
    writeFileSync(join(folder, 'new.txt'), 'new meanwhile');

    const pod = await eventually(
      async () => {
        const pods = await kubectlJson<{ items: V1Pod[] }>('-n', namespace.name, 'get', 'pods');
        const next = pods.items.find(
          (item) => item.metadata?.name !== first.pod && item.metadata?.deletionTimestamp === undefined,
        );
        expect(next?.status?.phase).toBe('Running');
        return next?.metadata?.name ?? '';
      },
      60_000,
      200,
    );
    await eventually(
      async () => {
        const root = containerRoot(namespace.name, pod, 'web');
        expect(readFileSync(join(root, 'app/index.html'), 'utf8')).toBe('edited meanwhile');
        expect(readFileSync(join(root, 'app/new.txt'), 'utf8')).toBe('new meanwhile');
      },
      30_000,
      100,
    );
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe('edited meanwhile');
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(await session.stop()).toBe(0);
  });
});
