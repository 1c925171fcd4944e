import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect as dialTcp, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKube } from './client.ts';
import type { Kube, ResourceType, WatchEvent } from './kube.ts';
import { loadKubeconfig } from './kubeconfig-load.ts';
import type { Selection } from './kubeconfig-select.ts';
import { selectContext } from './kubeconfig-select.ts';
import { resourceTypes } from './resource-types.ts';
import { WatchedObjects } from './watched-objects.ts';
import type { WatchBounds } from './watch.ts';

const configMap: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
interface ConfigMap {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields?: { readonly manager: string }[];
  };
  readonly data: Readonly<Record<string, string>>;
}

/** Another one for each test, so that a test may be tried again. */
let namespace = '';
const kubeconfig = process.env['SLIPWAY_TEST_KUBECONFIG'];

async function kubectl(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('kubectl', [
    '--kubeconfig',
    kubeconfig ?? '',
    '-n',
    namespace,
    ...args,
  ]);
  return stdout;
}

async function selection(): Promise<Selection> {
  if (kubeconfig === undefined)
    throw new Error('SLIPWAY_TEST_KUBECONFIG has to name the kubeconfig of a test cluster');
  return selectContext(await loadKubeconfig({ explicitPath: kubeconfig, environment: {} }), { namespace });
}

function open(selected: Selection, watchBounds?: Partial<WatchBounds>): Kube {
  const unused = (): never => {
    throw new Error('Not part of these tests');
  };
  return createKube({
    selection: selected,
    environment: { PATH: process.env['PATH'] },
    watchBounds,
    streams: () => ({ exec: unused, attach: unused, forward: unused, logs: unused }),
    review: () => unused,
  });
}

let kube: Kube;

beforeEach(async () => {
  namespace = `kc-${randomBytes(4).toString('hex')}`;
  kube = open(await selection());
  await kube.create(resourceTypes.namespace, undefined, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
});

afterEach(async () => {
  if (kubeconfig === undefined) return;
  await kube.delete(resourceTypes.namespace, { name: namespace });
  await kube[Symbol.asyncDispose]();
});

const named = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { test: 'kc' } },
  data,
});

describe('calls to a real API server', () => {
  it('say who we are and what it is', async () => {
    const who = JSON.parse(await kubectl('auth', 'whoami', '-o', 'json')) as {
      status: { userInfo: { username: string } };
    };
    expect((await kube.whoAmI()).username).toBe(who.status.userInfo.username);
    const { serverVersion } = JSON.parse(await kubectl('version', '-o', 'json')) as {
      serverVersion: { gitVersion: string };
    };
    expect(await kube.version()).toMatchObject({ major: 1, gitVersion: serverVersion.gitVersion });
    expect(await kube.raw('/version')).toBe(await kubectl('get', '--raw', '/version'));
  });

  it('list over several pages what kubectl lists', async () => {
    const all = Array.from({ length: 520 }, (_, i) => named(`many-${i}`));
    for (let start = 0; start < all.length; start += 40) {
      await Promise.all(
        all.slice(start, start + 40).map((object) => kube.create(configMap, namespace, object)),
      );
    }
    const { items } = await kube.list(configMap, namespace, { labelSelector: 'test=kc' });
    const names = (await kubectl('get', 'configmaps', '-l', 'test=kc', '-o', 'name')).trim().split('\n');
    expect(items.map(({ metadata }) => `configmap/${metadata?.name}`).sort()).toEqual(names.sort());
    await kubectl('delete', 'configmaps', '-l', 'test=kc', '--wait=false');
  });

  it('create, change in every way and delete with the identity checked', async () => {
    const key = { namespace, name: 'one' };
    const created = await kube.create<ConfigMap>(configMap, namespace, named('one', { a: '1' }));
    await kube.patch(configMap, key, { kind: 'merge', body: { data: { b: '2' } } });
    await kube.patch(configMap, key, { kind: 'strategic', body: { data: { c: '3' } } });
    await kube.patch(configMap, key, { kind: 'json', body: [{ op: 'add', path: '/data/d', value: '4' }] });
    const applied = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one', namespace },
      data: { e: '5' },
    };
    await kube.patch(configMap, key, { kind: 'apply', body: applied }, { fieldManager: 'other' });
    const now = await kube.get<ConfigMap>(configMap, key);
    expect(now.data).toEqual({ a: '1', b: '2', c: '3', d: '4', e: '5' });
    expect(JSON.parse(await kubectl('get', 'configmap', 'one', '-o', 'jsonpath={.data}'))).toEqual(now.data);
    expect(now.metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(['other', 'slipway']);
    await kube.replace(configMap, key, { ...now, data: { z: '0' } }, { dryRun: true });
    expect((await kube.get<ConfigMap>(configMap, key)).data).toHaveProperty('a');
    const stale = { ...created, data: {} };
    await expect(kube.replace(configMap, key, stale)).rejects.toMatchObject({ code: 'cluster.conflict' });
    const wrong = kube.delete(configMap, key, { uid: 'not-this-one' });
    await expect(wrong).rejects.toMatchObject({ code: 'cluster.conflict' });
    await kube.delete(configMap, key, { uid: created.metadata.uid });
    await expect(kube.get(configMap, key)).rejects.toMatchObject({
      code: 'cluster.not-found',
      message: `ConfigMap ${namespace}/one was not found.`,
    });
  });
});

describe('signing in to a real API server', () => {
  it('with a plugin is the user of its token, who is told what they may not do', async () => {
    await kubectl('create', 'serviceaccount', 'dev');
    const token = (await kubectl('create', 'token', 'dev')).trim();
    const answer = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token },
    };
    const exec = {
      command: 'printf',
      args: ['%s', JSON.stringify(answer)],
      env: null,
      apiVersion: answer.apiVersion,
      interactiveMode: 'Never',
      provideClusterInfo: false,
    };
    await using dev = open({ ...(await selection()), user: { exec } });
    expect((await dev.whoAmI()).username).toBe(`system:serviceaccount:${namespace}:dev`);
    await expect(dev.list(resourceTypes.pod, namespace)).rejects.toMatchObject({
      code: 'cluster.forbidden',
      message: `You may not read pods in ${namespace}.`,
      causeText: expect.stringContaining('cannot list resource "pods"') as string,
    });
    await using unknown = open({ ...(await selection()), user: { token: 'not-a-token' } });
    await expect(unknown.whoAmI()).rejects.toMatchObject({ code: 'cluster.unauthorized' });
  });

  it('as somebody else is that user', async () => {
    const selected = await selection();
    const user = {
      ...selected.user,
      as: 'jane',
      'as-groups': ['system:authenticated', 'team'],
      'as-user-extra': { 'a/B': ['c'] },
    };
    await using jane = open({ ...selected, user });
    const identity = await jane.whoAmI();
    expect(identity.username).toBe('jane');
    expect(identity.groups).toContain('team');
  });
});

describe('a watch of a real API server', () => {
  it('ends up with what kubectl lists', async () => {
    const state = new WatchedObjects<ConfigMap>();
    kube.watch<ConfigMap>(configMap, namespace, { labelSelector: 'test=kc' }, (event) => {
      state.take(event);
    });
    for (const name of ['w1', 'w2', 'w3']) await kube.create(configMap, namespace, named(name));
    await kubectl('patch', 'configmap', 'w2', '-p', '{"data":{"x":"y"}}');
    await kubectl('delete', 'configmap', 'w1');
    await expect.poll(() => [...state.objects.keys()].sort()).toEqual([`${namespace}/w2`, `${namespace}/w3`]);
    const listed = JSON.parse(await kubectl('get', 'configmaps', '-l', 'test=kc', '-o', 'json')) as {
      items: ConfigMap[];
    };
    const versions = (items: readonly ConfigMap[]): unknown[] =>
      items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
    expect(versions([...state.objects.values()]).sort()).toEqual(versions(listed.items).sort());
  });

  it('comes back after its connection was cut, and after a way that swallows everything', async () => {
    const selected = await selection();
    const gate = await startGate(new URL(selected.cluster.server));
    const cluster = {
      ...selected.cluster,
      server: `https://127.0.0.1:${gate.port}`,
      'tls-server-name': new URL(selected.cluster.server).hostname,
    };
    await using through = open({ ...selected, cluster }, { probeMs: 500, backoffMs: [100, 500] });
    const state = new WatchedObjects<ConfigMap>();
    const events: WatchEvent<ConfigMap>[] = [];
    through.watch<ConfigMap>(configMap, namespace, { labelSelector: 'gate=yes' }, (event) => {
      events.push(event);
      state.take(event);
    });
    await expect.poll(() => events.length).toBe(1);
    const create = async (name: string): Promise<void> => {
      const object = named(name);
      await kube.create(configMap, namespace, {
        ...object,
        metadata: { ...object.metadata, labels: { gate: 'yes' } },
      });
    };
    // Seen through the watch, so there is a connection to cut.
    await create('g0');
    await expect.poll(() => [...state.objects.keys()], { timeout: 10_000 }).toEqual([`${namespace}/g0`]);
    gate.cut();
    await create('g1');
    await expect
      .poll(() => [...state.objects.keys()], { timeout: 10_000 })
      .toEqual([`${namespace}/g0`, `${namespace}/g1`]);
    expect(events.some(({ kind }) => kind === 'stale')).toBe(true);
    gate.swallow = true;
    await create('g2');
    await expect.poll(() => state.stale, { timeout: 15_000 }).toBeDefined();
    gate.swallow = false;
    await expect
      .poll(() => [...state.objects.keys()], { timeout: 20_000 })
      .toEqual([`${namespace}/g0`, `${namespace}/g1`, `${namespace}/g2`]);
    expect(state.stale).toBeUndefined();
    await gate[Symbol.asyncDispose]();
  });
});

/** A way to the server that can be cut, or made to swallow every byte without closing. */
interface Gate extends AsyncDisposable {
  readonly port: number;
  swallow: boolean;
  cut(): void;
}

async function startGate(target: URL): Promise<Gate> {
  const sockets = new Set<Socket>();
  const state = { swallow: false };
  const server = createServer((client) => {
    const upstream = dialTcp(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!state.swallow) to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get swallow() {
      return state.swallow;
    },
    set swallow(value) {
      state.swallow = value;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
