import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Activity, HeldWork } from '../../contract/sessions.ts';
import { startForm } from '../../contract/workloads.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { freePort } from '../../tests/support/free-port.ts';
import { kubectl, kubectlJson, makeNamespace, testKubeconfig } from '../../tests/support/kubectl.ts';
import { compose, type Services } from '../compose.ts';
import type { Kube } from '../kube/kube.ts';
import { leaseName } from '../session/names.ts';
import { whyReplicasStay } from '../session/restore-replicas.ts';
import { LiveSessions } from './live-sessions.ts';
import { createSessionsHandlers } from './sessions-handlers.ts';

const manifest = (namespace: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'web', image: 'sandbox/web:1', imagePullPolicy: 'Never' }],
        },
      },
    },
  });

describe('the sessions of an app on a real cluster', () => {
  let base: string;
  let services: Services;
  let kube: Kube;
  let live: LiveSessions | undefined;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'slipway-live-'));
    const environment = { PATH: process.env['PATH'], SLIPWAY_HOME: join(base, 'home') };
    services = compose({ environment, platform: process.platform });
    kube = await services.connect({ kubeconfig: testKubeconfig() });
  });
  afterEach(async () => {
    await live?.stopAll();
    live = undefined;
  });
  afterAll(async () => {
    await kube?.[Symbol.asyncDispose]();
    await rm(base, { recursive: true, force: true });
  });

  async function prepare(namespace: string, folder: string) {
    const port = await freePort();
    const form = startForm.parse({
      cluster: 'test',
      namespace,
      kind: 'Deployment',
      name: 'web',
      folder,
      containerPath: '/sync-of-a-test',
      createPath: true,
      excludes: ['*.log'],
      ports: [{ local: port, remote: 8080 }],
      env: [{ name: 'SECRET', value: 'hunter2' }],
    });
    const sessions = services.sessions(kube);
    const request = {
      namespace,
      target: { kind: 'Deployment', name: 'web' },
      project: 'shop',
      changes: {},
    };
    const plans = new Map<string, Awaited<ReturnType<typeof sessions.plan>>>();
    const registry = new LiveSessions({
      clock: services.clock,
      knowledge: { leaseName, whyReplicasStay },
      plans: {
        planOf: (id) => {
          const session = plans.get(id);
          const flight = { obstacles: [] };
          const commandLine = 'slipway dev';
          return session && { form, session, flight, commandLine, missingRights: [], expected: 'web' };
        },
      },
      clusters: { kubeFor: () => Promise.resolve(kube), noteNamespace: () => undefined },
      questions: { ask: () => Promise.reject(new Error('Nobody is asked')) },
      sessions: (connected) => services.sessions(connected),
      syncRig: (wanted) => services.syncRig(wanted),
      newId: () => Math.random().toString(36).slice(2, 12),
      onFault: (error) => {
        throw error;
      },
    });
    live = registry;
    const replan = async (id: string): Promise<void> => void plans.set(id, await sessions.plan(request));
    await replan('p');
    return {
      registry,
      replan,
      port,
      handlers: createSessionsHandlers({ live: registry, clock: services.clock }),
    };
  }

  const context = () => ({ signal: AbortSignal.timeout(60_000) });

  it(
    'start, follow edits, hold a mass deletion, survive the pod and leave nothing',
    { timeout: 240_000 },
    async () => {
      await using namespace = await makeNamespace('e5-live');
      const file = join(base, 'web.json');
      await writeFile(file, manifest(namespace.name));
      await kubectl('apply', '-f', file);
      await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s');
      const folder = join(base, 'shop');
      await mkdir(join(folder, 'src'), { recursive: true });
      for (let index = 0; index < 40; index++)
        await writeFile(join(folder, 'src', `file${index}.ts`), `export const n = ${index};\n`);
      await writeFile(join(folder, 'debug.log'), 'not synced');
      const { registry, handlers, replan, port } = await prepare(namespace.name, folder);

      const { session } = await handlers['sessions.start']({ plan: 'p' }, context());
      await expect(handlers['sessions.start']({ plan: 'p' }, context())).rejects.toMatchObject({
        code: 'session.live',
      });
      const detail = handlers['sessions.detail']({ session });
      const sentences = new Set<string>();
      detail.onChange(() => {
        const { stage, sentence } = detail.value.summary;
        if (stage === 'starting') sentences.add(sentence);
      });
      await eventually(() => expect(detail.value.summary.stage).toBe('running'), 60_000);
      expect([...sentences].filter((sentence) => sentence.startsWith('In sync'))).toHaveLength(0);
      expect(sentences.size).toBeGreaterThan(1);
      await eventually(
        () => expect(detail.value.summary.sentence).toMatch(/^In sync since \{\{.+\}\}$/),
        20_000,
      );
      expect(JSON.stringify(detail.value)).not.toContain('hunter2');
      expect(
        Object.values(detail.value.changes).map(({ object, what, from, to }) => [object, what, from, to]),
      ).toEqual([
        ['Lease/slipway-deployment-web', 'created', '', expect.any(String)],
        ['Deployment/web-dev', 'created', '', expect.any(String)],
        ['Deployment/web', 'spec.replicas', '2', '0'],
      ]);
      await eventually(() => expect(detail.value.ports[`forward:${port}`]?.state).toBe('active'), 20_000);
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).not.toBe('');

      // Files that travel are told one by one to who watches.
      const seen: Activity[] = [];
      const watching = new AbortController();
      const stream = handlers['sessions.activity'](
        { session },
        {
          signal: watching.signal,
          ready: true,
          onMessage: () => ({ [Symbol.dispose]: () => undefined }),
          send: async (batch) => void seen.push(...batch.items),
        },
      );
      await writeFile(join(folder, 'src', 'file0.ts'), 'export const n = 1000;\n');
      await eventually(() => expect(seen.at(-1)).toMatchObject({ path: 'src/file0.ts', direction: 'up' }));
      const pod = (): string => detail.value.pod ?? '';
      const inPod = (command: string) =>
        kubectl('-n', namespace.name, 'exec', `deploy/web-dev`, '--', 'sh', '-c', command);
      expect(await inPod('cat /sync-of-a-test/src/file0.ts')).toBe('export const n = 1000;\n');
      const version = await eventually(async () => {
        await inPod('echo "export const n = 2000;" > /sync-of-a-test/src/file0.ts');
        const { entries } = await handlers['sessions.trash']({ session, search: 'FILE0' }, context());
        expect(entries).not.toHaveLength(0);
        return entries[0];
      });

      // The old version comes back, and the one of now is in the trash.
      await handlers['sessions.restoreTrash']({ session, pair: 0, id: version?.id ?? '' }, context());
      expect(await readFile(join(folder, 'src', 'file0.ts'), 'utf8')).toBe('export const n = 1000;\n');
      await eventually(async () =>
        expect(await inPod('cat /sync-of-a-test/src/file0.ts')).toBe('export const n = 1000;\n'),
      );

      const tree = await handlers['sessions.tree']({ session, pair: 0, path: '', offset: 0 }, context());
      expect(tree.entries).toMatchObject([
        { name: 'debug.log', kind: 'file', state: 'excluded' },
        { name: 'src', kind: 'directory', state: 'same' },
      ]);
      for (const path of ['..', '../..', '/etc', 'src/../..', 'src\0'])
        await expect(
          handlers['sessions.tree']({ session, pair: 0, path, offset: 0 }, context()),
        ).rejects.toMatchObject({ code: 'sync.path-refused' });

      // Everything is deleted in the container: held, listed, answered, and nothing lost.
      await inPod('rm -r /sync-of-a-test/src');
      const held = await eventually((): HeldWork => {
        const [first] = Object.values(detail.value.held);
        expect(first?.kind).toBe('brake');
        return first!;
      });
      expect(detail.value.summary.health).toBe('attention');
      const { paths, total } = await handlers['sessions.heldPaths'](
        { session, held: held.id, offset: 0 },
        context(),
      );
      expect([paths.length, total]).toEqual([held.count, held.count]);
      const inTree = await handlers['sessions.tree']({ session, pair: 0, path: '', offset: 0 }, context());
      expect(inTree.entries.at(-1)).toMatchObject({ name: 'src', state: 'held' });
      const answer = () =>
        handlers['sessions.answerHeld']({ session, held: held.id, choice: 'restore' }, context());
      expect((await answer()).message).toContain('brought back');
      expect((await answer()).message).toContain('before');
      await eventually(
        async () => expect(await inPod('ls /sync-of-a-test/src | wc -l')).toBe('40\n'),
        20_000,
      );
      await eventually(
        () => expect(detail.value.summary.sentence).toMatch(/^In sync since \{\{.+\}\}$/),
        20_000,
      );

      // The pod is killed: it is said, and the next one is like the folder again.
      const before = pod();
      await kubectl('-n', namespace.name, 'delete', 'pod', before, '--wait=false');
      await eventually(() => expect(detail.value.summary.sentence).not.toMatch(/^In sync/), 20_000);
      await eventually(
        () => expect(detail.value.summary.sentence).toMatch(/^In sync since \{\{.+\}\}$/),
        60_000,
      );
      expect(await inPod('ls /sync-of-a-test/src | wc -l')).toBe('40\n');
      expect(
        Object.values(detail.value.timeline)
          .map(({ text }) => text)
          .join('\n'),
      ).toMatch(/connecting/i);

      // The replicas can be put back alone.
      await handlers['sessions.restoreChange']({ session, change: 'replicas' }, context());
      expect(await kubectlJson('-n', namespace.name, 'get', 'deploy', 'web')).toMatchObject({
        spec: { replicas: 2 },
      });
      expect(detail.value.changes['replicas']).toMatchObject({ state: 'restored', restorable: false });

      await handlers['sessions.stop']({ session }, context());
      await registry.get(session).over;
      expect(detail.value.summary).toMatchObject({ stage: 'ended', health: 'idle' });
      expect(detail.value.summary.sentence).toMatch(/^Ended \{\{.+\}\}; everything is as it was$/);
      expect(detail.value.result?.remaining).toEqual([]);
      expect(await kubectlJson('-n', namespace.name, 'get', 'deploy', 'web')).toMatchObject({
        spec: { replicas: 2 },
      });
      expect(await kubectl('-n', namespace.name, 'get', 'lease,deploy', '-o', 'name')).toBe(
        'deployment.apps/web\n',
      );
      watching.abort();
      await stream;

      // And again, stopped while it starts.
      await replan('q');
      const second = await handlers['sessions.start']({ plan: 'q' }, context());
      const other = handlers['sessions.detail'](second);
      await eventually(() => expect(other.value.phase).toBe('start'), 20_000);
      await handlers['sessions.stop'](second, context());
      await registry.get(second.session).over;
      expect(other.value.summary.stage).toBe('ended');
      expect(await kubectl('-n', namespace.name, 'get', 'lease,deploy', '-o', 'name')).toBe(
        'deployment.apps/web\n',
      );
    },
  );
});
