import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { V1Deployment } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../contract/clusters.ts';
import type { Leftover } from '../../contract/leftovers.ts';
import { systemClock } from '../base/clock.ts';
import { createProcessMarks } from '../base/process-marks.ts';
import { diskStateFiles } from '../base/state-files.ts';
import { Store } from '../base/store.ts';
import type { Kube } from '../kube/kube.ts';
import { createSessions } from '../session/session.ts';
import { connectCluster, kubectl, kubectlJson, temporaryNamespace } from '../session/testing/cluster.ts';
import { createTasks } from '../tasks/tasks.ts';
import { createLeftoversHandlers } from './handlers.ts';

const cluster = 'c1';
const signal = new AbortController().signal;
let kube: Kube;
let home: string;

beforeAll(async () => {
  kube = await connectCluster();
  home = await mkdtemp(join(tmpdir(), 'slipway-leftovers-'));
});

afterAll(async () => {
  await kube?.[Symbol.asyncDispose]();
  if (home !== undefined) await rm(home, { recursive: true, force: true });
});

function handlersHere(): ReturnType<typeof createLeftoversHandlers> {
  const stateFiles = diskStateFiles;
  return createLeftoversHandlers({
    clusters: {
      info: () => ({ id: cluster, context: kube.contextName }) as Cluster,
      onChange: new Store(0).onChange,
      kube: async () => kube,
      kubeFor: async () => kube,
      confirmation: () => undefined,
    },
    connected: new Store<readonly string[]>([cluster]),
    own: new Store<ReadonlySet<string>>(new Set()),
    sessions: (connection) =>
      createSessions({
        kube: connection,
        ...{ stateFiles, home, processes: createProcessMarks() },
        clock: systemClock,
        machine: 'here',
      }),
    tasks: createTasks({ clock: systemClock, onBug: () => undefined }),
    clock: systemClock,
    isDefaultKubeconfig: () => true,
  });
}

/** The items of one namespace, after a fresh look. */
async function listOf(
  handlers: ReturnType<typeof createLeftoversHandlers>,
  namespace: string,
): Promise<Record<string, Leftover>> {
  using list = handlers['leftovers.list']({ cluster });
  await handlers['leftovers.refresh']({ cluster }, { signal });
  expect(['ready', 'partial']).toContain(list.value.state);
  const items = Object.entries(list.value.items).filter(([, item]) => item.namespace === namespace);
  return Object.fromEntries(items);
}

function deployment(name: string, metadata: object = {}, replicas = 2): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'web', image: 'sandbox/web:1', imagePullPolicy: 'Never' }],
        },
      },
    },
  };
}

async function apply(namespace: string, ...items: readonly object[]): Promise<void> {
  await kubectl(
    ['-n', namespace, 'apply', '--server-side', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
}

/** A session whose process is killed as soon as it was seen alive. */
async function killSession(namespace: string, whileAlive?: () => Promise<void>): Promise<void> {
  const elsewhere = join(home, namespace);
  const script = new URL('../session/testing/killed-session.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, namespace, elsewhere], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await whileAlive?.();
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The mark of a process of this machine that has ended. */
async function endedProcess(): Promise<string> {
  const marks = new URL('../base/process-marks.ts', import.meta.url).href;
  const script = `import { createProcessMarks } from '${marks}'; console.log(createProcessMarks().own);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim();
}

async function names(namespace: string): Promise<string[]> {
  const kinds = 'deployments,statefulsets,leases';
  const text = await kubectl(['-n', namespace, 'get', kinds, '-o', 'name']);
  return text.split('\n').filter(Boolean).sort();
}

async function replicas(namespace: string, name: string): Promise<number | undefined> {
  return (await kubectlJson<V1Deployment>(['-n', namespace, 'get', 'deployment', name])).spec?.replicas;
}

/** It was killed on this machine, so that it takes no minute. */
async function waitUntilDead(
  handlers: ReturnType<typeof createLeftoversHandlers>,
  namespace: string,
): Promise<string> {
  for (;;) {
    const entries = Object.entries(await listOf(handlers, namespace));
    const [entry] = entries;
    if (entry !== undefined && entries.every(([, { state }]) => state === 'dead')) return entry[0];
    await systemClock.sleep(500);
  }
}

describe('leftovers of a killed session', { timeout: 240_000 }, () => {
  it('are listed, previewed and restored', async () => {
    await using namespace = await temporaryNamespace('leftovers-restore');
    using handlers = handlersHere();
    await apply(namespace.name, deployment('web'));
    await killSession(namespace.name, async () => {
      // Longer than what is on its way takes to arrive: only a process that runs keeps it alive now.
      await systemClock.sleep(3_000);
      const live = Object.values(await listOf(handlers, namespace.name));
      expect(live).toMatchObject([{ state: 'live', target: 'Deployment/web', machine: 'killed', can: [] }]);
    });
    const killedAt = systemClock.monotonic();
    const key = await waitUntilDead(handlers, namespace.name);
    expect(systemClock.monotonic() - killedAt).toBeLessThan(20_000);
    const before = await kubectl(['-n', namespace.name, 'get', 'deployment,lease', '-o', 'json']);
    const input = { cluster, keys: [key], action: 'restore' as const };
    expect(await handlers['leftovers.preview'](input, { signal })).toEqual({
      items: [
        {
          key,
          steps: [
            'Scale Deployment web from 0 to 2.',
            'Remove Deployment web-dev and its pod.',
            'Remove Lease slipway-deployment-web.',
          ],
        },
      ],
    });
    expect(await kubectl(['-n', namespace.name, 'get', 'deployment,lease', '-o', 'json'])).toBe(before);
    const { items } = await handlers['leftovers.act'](input, { signal });
    expect(items).toMatchObject([{ key, kept: [], remaining: [] }]);
    expect(await names(namespace.name)).toEqual(['deployment.apps/web']);
    expect(await replicas(namespace.name, 'web')).toBe(2);
    expect(await listOf(handlers, namespace.name)).toEqual({});
  });

  it('are removed without touching the workload', async () => {
    await using namespace = await temporaryNamespace('leftovers-remove');
    using handlers = handlersHere();
    await apply(namespace.name, deployment('web'));
    await killSession(namespace.name);
    const key = await waitUntilDead(handlers, namespace.name);
    const { lines, commands } = await handlers['leftovers.explain']({ cluster, key }, { signal });
    expect(lines.join('\n')).toContain('on killed, since {{');
    const command = commands.find((line) => line.includes('get lease ')) ?? '';
    expect(command).toMatch(/^kubectl --context \S+ -n \S+ get lease slipway-deployment-web -o yaml$/);
    const uid = await kubectl([
      '-n',
      namespace.name,
      'get',
      'deployment',
      'web',
      '-o',
      'jsonpath={.metadata}',
    ]);
    const { items } = await handlers['leftovers.act']({ cluster, keys: [key], action: 'remove' }, { signal });
    expect(items).toMatchObject([
      { kept: ['spec.replicas stays as it is now: 0. It was 2.'], remaining: [] },
    ]);
    expect(await names(namespace.name)).toEqual(['deployment.apps/web']);
    const after = await kubectl([
      '-n',
      namespace.name,
      'get',
      'deployment',
      'web',
      '-o',
      'jsonpath={.metadata}',
    ]);
    expect(after).toBe(uid);
  });
});

describe('leftovers of DevSpace', () => {
  it('are restored by its own marks, with and without its dev Deployment', async () => {
    await using namespace = await temporaryNamespace('leftovers-devspace');
    using handlers = handlersHere();
    const noted = { annotations: { 'devspace.sh/replicas': '2' } };
    await apply(
      namespace.name,
      deployment('web', noted, 0),
      deployment('alone', noted, 0),
      deployment('zero', {}, 0),
      deployment(
        'web-devspace',
        {
          labels: { 'devspace.sh/replaced': 'true' },
          annotations: { 'devspace.sh/parent-kind': 'Deployment', 'devspace.sh/parent-name': 'web' },
        },
        1,
      ),
    );
    const items = await listOf(handlers, namespace.name);
    expect(Object.values(items).map(({ tool, target, can }) => [tool, target, can])).toEqual([
      ['DevSpace', 'Deployment/web', ['restore']],
      ['DevSpace', 'Deployment/alone', ['restore']],
    ]);
    const keys = Object.keys(items);
    const result = await handlers['leftovers.act']({ cluster, keys, action: 'restore' }, { signal });
    expect(result.items.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(await replicas(namespace.name, 'web')).toBe(2);
    expect(await replicas(namespace.name, 'alone')).toBe(2);
    expect(await names(namespace.name)).toEqual([
      ...['deployment.apps/alone', 'deployment.apps/web', 'deployment.apps/zero'],
    ]);
    const annotations = await kubectl([
      '-n',
      namespace.name,
      'get',
      'deployment',
      'web',
      'alone',
      '-o',
      'jsonpath={.items[*].metadata.annotations}',
    ]);
    expect(annotations).not.toContain('devspace.sh');
  });
});

describe('a hostile Lease', { timeout: 240_000 }, () => {
  it('is shown as the text that it is, and leads to nothing else', async () => {
    await using namespace = await temporaryNamespace('leftovers-hostile');
    using handlers = handlersHere();
    await apply(namespace.name, deployment('postgres'));
    const { metadata } = await kubectlJson<V1Deployment>([
      '-n',
      namespace.name,
      'get',
      'deployment',
      'postgres',
    ]);
    const text = '\u202e<img src=x onerror=alert(1)>\u0007'.repeat(100);
    const record = (session: string, target: string, who: string): string =>
      JSON.stringify({
        version: 1,
        session,
        project: who,
        user: who,
        machine: who,
        createdAt: 'yesterday',
        namespace: namespace.name,
        target: { apiVersion: 'apps/v1', kind: 'Deployment', name: target, uid: metadata?.uid },
        container: 'web',
        changes: [{ path: '/spec/replicas', from: 0, to: 2 }],
        readyBefore: 0,
        formerOwners: [],
        devObject: { name: 'postgres', uid: metadata?.uid },
        before: { specHash: '', images: {} },
        exclusive: false,
      });
    const ended = await endedProcess();
    const lease = (name: string, session: string, changes: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        labels: { 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/session': session },
        annotations: {
          'slipway.dev/user': text,
          'slipway.dev/machine': text,
          'slipway.dev/created-at': text,
          'slipway.dev/target': text,
          'slipway.dev/changes': changes,
          // So that nobody has to wait for a minute.
          'slipway.dev/run': 'r',
          'slipway.dev/process': `r/${ended}`,
        },
      },
      spec: { holderIdentity: text.slice(0, 60), leaseDurationSeconds: 60 },
    });
    await apply(
      namespace.name,
      lease('slipway-text', 'text', text),
      lease('slipway-path', 'path', record('path', '../secrets/x', 'mallory')),
      lease('slipway-evil', 'evil', record('evil', 'postgres', text.slice(0, 1000))),
    );
    await waitUntilDead(handlers, namespace.name);
    const items = await listOf(handlers, namespace.name);
    const shown = Object.values(items);
    expect(shown).toHaveLength(3);
    for (const item of shown) {
      expect(item.state).toBe('dead');
      expect(item.since).toBe('');
      expect(item.target.length).toBeLessThanOrEqual(254);
      expect([...item.user].length).toBeLessThanOrEqual(254);
    }
    const explained = await handlers['leftovers.explain'](
      { cluster, key: Object.keys(items)[0] ?? '' },
      { signal },
    );
    expect(explained.commands.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    // Its record claims that postgres is its own dev object, and that it had no replicas before.
    const evil = `session:${namespace.name}/evil`;
    const restored = await handlers['leftovers.act'](
      { cluster, keys: [evil], action: 'restore' },
      { signal },
    );
    expect(restored.items[0]?.kept.join('\n')).toContain('another object of the same name');
    const keys = Object.keys(await listOf(handlers, namespace.name));
    await handlers['leftovers.act']({ cluster, keys, action: 'remove' }, { signal });
    expect(await names(namespace.name)).toEqual(['deployment.apps/postgres']);
    expect(await replicas(namespace.name, 'postgres')).toBe(2);
  });
});
