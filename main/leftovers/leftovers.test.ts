import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import type { Cluster } from '../../contract/clusters.ts';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { createSessions, type Sessions } from '../session/session.ts';
import { FakeCluster } from '../session/testing/fake-cluster.ts';
import { ManualClock, settle } from '../session/testing/manual-clock.ts';
import { memoryStateFiles } from '../session/testing/memory-state-files.ts';
import { createTasks } from '../tasks/tasks.ts';
import { ClusterLeftovers } from './cluster-leftovers.ts';
import { createLeftoversHandlers } from './handlers.ts';

const namespace = 't';
const id = 'c1';
const signal = new AbortController().signal;

interface Rig extends Disposable {
  readonly cluster: FakeCluster;
  readonly clock: ManualClock;
  readonly own: Store<ReadonlySet<string>>;
  readonly connected: Store<readonly string[]>;
  readonly tasks: ReturnType<typeof createTasks>;
  readonly handlers: ReturnType<typeof createLeftoversHandlers>;
  readonly connections: string[];
  reachable: boolean;
  guarded: boolean;
  /** Of its kubeconfig. */
  isDefault: boolean;
}

function makeRig(): Rig {
  const cluster = new FakeCluster();
  const clock = new ManualClock();
  const own = new Store<ReadonlySet<string>>(new Set());
  const connected = new Store<readonly string[]>([id]);
  const tasks = createTasks({ clock, onBug: () => undefined });
  const kube = cluster.connect({ user: 'anna' });
  const sessions = sessionsOf(cluster, 'anna', clock);
  const connections: string[] = [];
  const connect = async (cluster: string): Promise<typeof kube> => {
    connections.push(cluster);
    if (rig.reachable) return kube;
    throw new SlipwayError({ code: 'cluster.unreachable', message: 'It does not answer.', next: 'Wait.' });
  };
  const rig: Rig = {
    ...{
      cluster,
      clock,
      own,
      connected,
      tasks,
      connections,
      reachable: true,
      guarded: false,
      isDefault: true,
    },
    handlers: createLeftoversHandlers({
      clusters: {
        info: (cluster) =>
          cluster === id ? ({ id, context: 'staging', file: '/k/my config' } as Cluster) : undefined,
        onChange: new Store(0).onChange,
        kube: connect,
        kubeFor: async (cluster, { expected, typed }) => {
          if (!rig.guarded || typed === expected) return connect(cluster);
          throw new SlipwayError({
            code: 'cluster.confirmation-needed',
            message: `Type ${expected}.`,
            next: 'Type it.',
          });
        },
        confirmation: (_cluster, expected) =>
          rig.guarded ? { type: expected, why: 'It is guarded.' } : undefined,
      },
      ...{ connected, own, tasks, clock },
      sessions: () => sessions,
      isDefaultKubeconfig: () => rig.isDefault,
    }),
    [Symbol.dispose]() {
      rig.handlers[Symbol.dispose]();
    },
  };
  return rig;
}

function sessionsOf(cluster: FakeCluster, user: string, clock = new ManualClock()): Sessions {
  const kube = cluster.connect({ user });
  return createSessions({ kube, stateFiles: memoryStateFiles(), home: '/home', clock, machine: 'laptop' });
}

async function deploy(
  cluster: FakeCluster,
  name: string,
  metadata: object = {},
  replicas = 2,
): Promise<void> {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'shop:1' }] } };
  const spec = { replicas, selector: { matchLabels: { app: name } }, template };
  await cluster
    .connect({ user: 'deployer' })
    .create(resourceTypes.deployment, namespace, { metadata: { name, ...metadata }, spec });
}

async function start(cluster: FakeCluster, user: string, name: string): Promise<string> {
  const sessions = sessionsOf(cluster, user);
  const plan = await sessions.plan({
    namespace,
    target: { kind: 'Deployment', name },
    project: 'shop',
    changes: {},
  });
  const outcome = await sessions.start(plan);
  if (outcome.kind !== 'started') throw new Error(outcome.kind);
  return outcome.session.id;
}

async function replicas(cluster: FakeCluster, name: string): Promise<number | undefined> {
  const key = { namespace, name };
  const found = await cluster.connect({ user: 'reader' }).get<V1Deployment>(resourceTypes.deployment, key);
  return found.spec?.replicas;
}

/** As DevSpace leaves a workload of two replicas. */
async function replaceByDevSpace(cluster: FakeCluster, name: string): Promise<void> {
  await deploy(cluster, name, { annotations: { 'devspace.sh/replicas': '2' } }, 0);
  const annotations = { 'devspace.sh/parent-kind': 'Deployment', 'devspace.sh/parent-name': name };
  await deploy(cluster, `${name}-devspace`, { labels: { 'devspace.sh/replaced': 'true' }, annotations }, 1);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return isSlipwayError(error) ? error.code : String(error);
  }
}

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig[Symbol.dispose]());

describe('the list of leftovers', () => {
  it('shows what sessions of anybody and DevSpace left, and not what runs here', async () => {
    await deploy(rig.cluster, 'web');
    await deploy(rig.cluster, 'api');
    await replaceByDevSpace(rig.cluster, 'shop');
    const mine = await start(rig.cluster, 'anna', 'web');
    await start(rig.cluster, 'ben', 'api');
    rig.own.set(new Set([mine]));
    rig.cluster.now += 61_000;
    using list = rig.handlers['leftovers.list']({ cluster: id });
    expect(list.value).toEqual({ state: 'loading', items: {} });
    await settle();
    expect(list.value.state).toBe('ready');
    expect(Object.values(list.value.items)).toMatchObject([
      { tool: 'Slipway', target: 'Deployment/api', user: 'ben', state: 'dead', can: ['restore', 'remove'] },
      { tool: 'DevSpace', target: 'Deployment/shop', user: '', can: ['restore'] },
    ]);
    rig.own.set(new Set());
    expect(Object.values(list.value.items)).toHaveLength(3);
  });

  it('finds a workload that DevSpace left scaled down alone', async () => {
    await deploy(rig.cluster, 'web', { annotations: { 'devspace.sh/replicas': '3' } }, 0);
    using list = rig.handlers['leftovers.list']({ cluster: id });
    await settle();
    expect(list.value.items).toMatchObject({
      'devspace:t/web': { target: 'Deployment/web', can: ['restore'] },
    });
    await rig.clock.advance(30_000);
    expect(Object.keys(list.value.items)).toEqual(['devspace:t/web']);
  });

  it('is looked at again while it is watched, and keeps what it knew while the cluster is away', async () => {
    await deploy(rig.cluster, 'web');
    await start(rig.cluster, 'ben', 'web');
    rig.cluster.now += 61_000;
    const list = rig.handlers['leftovers.list']({ cluster: id });
    await settle();
    const { items } = list.value;
    await rig.clock.advance(30_000);
    expect(list.value.items).toBe(items);
    rig.reachable = false;
    await rig.clock.advance(30_000);
    expect(list.value).toMatchObject({ state: 'stale', error: { code: 'cluster.unreachable' } });
    expect(list.value.since).toBe('2026-01-05T10:00:30.000Z');
    expect(list.value.items).toBe(items);
    rig.reachable = true;
    await rig.handlers['leftovers.refresh']({ cluster: id }, { signal });
    expect(list.value.state).toBe('ready');
    list[Symbol.dispose]();
    const { length } = rig.connections;
    await rig.clock.advance(300_000);
    expect(rig.connections).toHaveLength(length);
  });

  it('says that nothing could be read, and knows no other cluster', async () => {
    rig.reachable = false;
    using list = rig.handlers['leftovers.list']({ cluster: id });
    await settle();
    expect(list.value).toMatchObject({ state: 'error', items: {} });
    expect(() => rig.handlers['leftovers.list']({ cluster: 'other' })).toThrow('no such cluster');
  });

  it('says so when a server sends nonsense, and ends nothing else', async () => {
    const nonsense = { name: 'odd', annotations: { 'devspace.sh/replicas': '2' }, creationTimestamp: {} };
    using leftovers = new ClusterLeftovers({
      connect: async () => rig.cluster.connect({ user: 'anna' }),
      sessions: () => ({ leftovers: async () => ({ items: [nonsense], namespaces: 'all' }) as never }),
      own: rig.own,
      clock: rig.clock,
    });
    using _watching = leftovers.watch({ closely: true });
    await settle();
    expect(leftovers.value).toMatchObject({ state: 'error', error: { code: 'cluster.failed' } });
    rig.own.set(new Set(['s']));
    await settle();
  });
});

describe('the count of leftovers', () => {
  it('follows the clusters that are connected, and connects no other', async () => {
    await deploy(rig.cluster, 'web');
    await start(rig.cluster, 'ben', 'web');
    rig.cluster.now += 61_000;
    rig.connected.set([]);
    using counts = rig.handlers['leftovers.counts']({});
    await settle();
    expect(rig.connections).toEqual([]);
    expect(counts.value).toEqual({ items: {} });
    rig.connected.set([id, 'unknown']);
    await settle();
    expect(counts.value).toEqual({ items: { [id]: 1 } });
    rig.connected.set([]);
    expect(counts.value).toEqual({ items: {} });
  });
});

describe('acting on leftovers', () => {
  async function keysOf(): Promise<string[]> {
    using list = rig.handlers['leftovers.list']({ cluster: id });
    await rig.handlers['leftovers.refresh']({ cluster: id }, { signal });
    return Object.keys(list.value.items);
  }

  it('says the steps first, and changes nothing with that', async () => {
    await deploy(rig.cluster, 'web');
    await start(rig.cluster, 'ben', 'web');
    rig.cluster.now += 61_000;
    const keys = await keysOf();
    const before = rig.cluster.names(namespace);
    const input = { cluster: id, keys: [...keys, 'session:t/gone'], action: 'restore' as const };
    expect(await rig.handlers['leftovers.preview'](input, { signal })).toEqual({
      items: [
        {
          key: keys[0],
          steps: [
            'Scale Deployment web from 0 to 2.',
            'Remove Deployment web-dev and its pod.',
            'Remove Lease slipway-deployment-web.',
          ],
        },
        {
          key: 'session:t/gone',
          steps: [],
          error: expect.objectContaining({ code: 'session.not-found' }) as unknown,
        },
      ],
    });
    expect(rig.cluster.names(namespace)).toEqual(before);
  });

  it('restores several side by side, and one that fails does not stop the others', async () => {
    await deploy(rig.cluster, 'web');
    await deploy(rig.cluster, 'api');
    await replaceByDevSpace(rig.cluster, 'shop');
    await start(rig.cluster, 'ben', 'web');
    await start(rig.cluster, 'ben', 'api');
    rig.cluster.now += 61_000;
    using list = rig.handlers['leftovers.list']({ cluster: id });
    await settle();
    const keys = Object.keys(list.value.items);
    const input = { cluster: id, keys: ['session:t/gone', ...keys], action: 'restore' as const };
    const { items } = await rig.handlers['leftovers.act'](input, { signal });
    expect(items.map((item) => item.error?.code ?? item.remaining)).toEqual([
      'session.not-found',
      [],
      [],
      [],
    ]);
    expect(await Promise.all(['web', 'api', 'shop'].map((name) => replicas(rig.cluster, name)))).toEqual([
      2, 2, 2,
    ]);
    expect(rig.cluster.names(namespace).filter((name) => /dev|Lease/.test(name))).toEqual([]);
    expect(Object.values(rig.tasks.value.items)).toMatchObject([
      { title: 'Restore 4 leftovers in staging', state: 'failed', route: '#/leftovers/c1' },
    ]);
    await settle();
    expect(list.value.items).toEqual({});
  });

  it('removes what was added and leaves the workload as it is', async () => {
    await deploy(rig.cluster, 'web');
    await start(rig.cluster, 'ben', 'web');
    rig.cluster.now += 61_000;
    const input = { cluster: id, keys: await keysOf(), action: 'remove' as const };
    const { items } = await rig.handlers['leftovers.act'](input, { signal });
    expect(items).toMatchObject([
      { kept: ['spec.replicas stays as it is now: 0. It was 2.'], remaining: [] },
    ]);
    expect(rig.cluster.names(namespace)).toEqual(['Deployment/web']);
    expect(await replicas(rig.cluster, 'web')).toBe(0);
  });

  it('never touches a live session', async () => {
    await deploy(rig.cluster, 'web');
    await start(rig.cluster, 'ben', 'web');
    const keys = await keysOf();
    for (const action of ['restore', 'remove'] as const) {
      const { items } = await rig.handlers['leftovers.act']({ cluster: id, keys, action }, { signal });
      expect(items).toMatchObject([{ error: { code: 'session.live' } }]);
    }
    expect(rig.cluster.names(namespace)).toContain('Deployment/web-dev');
  });

  it('wants the name typed where the cluster is guarded', async () => {
    await deploy(rig.cluster, 'web');
    await deploy(rig.cluster, 'api');
    await start(rig.cluster, 'ben', 'web');
    await start(rig.cluster, 'ben', 'api');
    rig.cluster.now += 61_000;
    rig.guarded = true;
    const keys = await keysOf();
    const one = { cluster: id, keys: keys.slice(0, 1), action: 'restore' as const };
    const preview = await rig.handlers['leftovers.preview'](one, { signal });
    expect(preview.confirmation?.type).toBe('web');
    expect(await codeOf(rig.handlers['leftovers.act'](one, { signal }))).toBe('cluster.confirmation-needed');
    const all = { ...one, keys };
    expect((await rig.handlers['leftovers.preview'](all, { signal })).confirmation?.type).toBe(namespace);
    await rig.handlers['leftovers.act']({ ...all, confirmation: namespace }, { signal });
    expect(await replicas(rig.cluster, 'web')).toBe(2);
  });

  it('ends when its task is cancelled, and says what was not begun', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await deploy(rig.cluster, name);
      await start(rig.cluster, 'ben', name);
    }
    rig.cluster.now += 61_000;
    const keys = await keysOf();
    rig.cluster.controllersRun = false;
    const acting = rig.handlers['leftovers.act']({ cluster: id, keys, action: 'restore' }, { signal });
    await settle();
    await settle();
    for (const task of Object.keys(rig.tasks.value.items)) rig.tasks.cancel(task);
    const { items } = await acting;
    expect(items.map(({ remaining }) => remaining.join('').split(':')[0])).toEqual([
      ...Array.from({ length: 4 }, () => 'It was cancelled half-way'),
      'It was cancelled before this one began.',
      'It was cancelled before this one began.',
    ]);
    expect(Object.values(rig.tasks.value.items)).toMatchObject([{ state: 'cancelled' }]);
  });
});

describe('objects that make no sense', () => {
  it('are left out and told, and the others are listed', async () => {
    await deploy(rig.cluster, 'web');
    const session = await start(rig.cluster, 'anna', 'web');
    rig.cluster.now += 61_000;
    const odd = rig.cluster.connect({ user: 'mallory' });
    const labels = { 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/session': 'odd' };
    const metadata = { name: 'odd-lease', labels, annotations: { 'slipway.dev/user': 7 } };
    await odd.create(resourceTypes.lease, 't', { metadata });
    const dev = { name: 'odd-dev', labels: { 'devspace.sh/replaced': 'true', other: 7 } };
    await odd.create(resourceTypes.deployment, 't', { metadata: dev, spec: { replicas: 0 } });
    using list = rig.handlers['leftovers.list']({ cluster: id });
    await rig.handlers['leftovers.refresh']({ cluster: id }, { signal });
    expect(Object.keys(list.value.items)).toEqual([`session:t/${session}`]);
    expect(list.value.state).toBe('partial');
    expect(list.value.notes?.join()).toContain(
      '2 objects make no sense and are left out: Lease t/odd-lease, Deployment t/odd-dev.',
    );
  });
});

describe('explaining a leftover', () => {
  it('says who, what, since when, and which commands look at it', async () => {
    await deploy(rig.cluster, 'web');
    const session = await start(rig.cluster, 'ben', 'web');
    rig.cluster.now += 61_000;
    const key = `session:t/${session}`;
    const { lines, commands } = await rig.handlers['leftovers.explain']({ cluster: id, key }, { signal });
    expect(lines.join('\n')).toContain(
      'A Slipway session of ben on laptop, since {{2026-01-05T10:00:00.000Z}}.',
    );
    expect(lines.join('\n')).toContain('It set spec.replicas from 2 to 0');
    expect(commands).toContain('kubectl --context staging -n t get lease slipway-deployment-web -o yaml');
    expect(commands).toContain('slipway reset pods --kube-context staging -n t --force');
    rig.isDefault = false;
    const elsewhere = await rig.handlers['leftovers.explain']({ cluster: id, key }, { signal });
    for (const command of elsewhere.commands)
      expect(command).toContain(" staging --kubeconfig '/k/my config' ");
    expect(elsewhere.commands.length).toBe(commands.length);
  });
});
