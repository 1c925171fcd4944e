import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { V1Namespace } from '@kubernetes/client-node';
import type { Question } from '../../contract/app.ts';
import { settings as settingsSchema, type Settings } from '../../contract/settings.ts';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { diskStateFiles } from '../base/state-files.ts';
import { Store } from '../base/store.ts';
import type { PluginConsent } from '../kube/exec-plugin.ts';
import type { Kube, WatchEvent } from '../kube/kube.ts';
import type { Selection } from '../kube/kubeconfig-select.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { clusterIdOf } from './cluster-id.ts';
import { createClusters, type OpenClusters } from './create-clusters.ts';

interface Context {
  readonly name: string;
  readonly server?: string;
  readonly token?: string;
  readonly user?: string;
  readonly exec?: string;
}

function kubeconfig(...contexts: readonly Context[]): string {
  return JSON.stringify({
    contexts: contexts.map(({ name, user = `${name}-user` }) => ({
      name,
      context: { cluster: `${name}-cluster`, user, namespace: 'shop' },
    })),
    clusters: contexts.map(({ name, server = `https://${name}.example.test` }) => ({
      name: `${name}-cluster`,
      cluster: { server },
    })),
    users: contexts.map(({ name, user = `${name}-user`, token = 'top-secret', exec }) => ({
      name: user,
      user:
        exec === undefined
          ? { token }
          : {
              exec: {
                command: exec,
                args: ['--client-secret', 'top-secret'],
                apiVersion: 'client.authentication.k8s.io/v1',
                interactiveMode: 'Never',
              },
            },
    })),
    'current-context': contexts[0]?.name,
  });
}

/** A cluster that answers by itself, and says what was asked of it. */
class FakeCluster {
  readonly opened: Selection[] = [];
  readonly disposed: Selection[] = [];
  readonly written: string[] = [];
  readonly watches = new Set<(event: WatchEvent<V1Namespace>) => void>();
  failure: Error | undefined;
  forbidden = false;

  readonly open = (selection: Selection, consent: PluginConsent | undefined): Kube => {
    this.opened.push(selection);
    const answer = async <T>(value: T): Promise<T> => {
      if (selection.user.exec !== undefined) await consent?.(selection.user.exec, AbortSignal.timeout(5000));
      if (this.failure !== undefined) throw this.failure;
      return value;
    };
    const kube: Partial<Kube> = {
      contextName: selection.contextName,
      defaultNamespace: selection.namespace,
      server: selection.cluster.server,
      version: () => answer({ major: 1, minor: 34, gitVersion: 'v1.34.0' }),
      whoAmI: () => answer({ username: 'dev', groups: [] }),
      delete: async (_type, { name }) => {
        this.written.push(`${selection.cluster.server} ${selection.user.token ?? ''} ${name}`);
      },
      watch: (_type, _namespace, _options, listener) => {
        const tell = listener as unknown as (event: WatchEvent<V1Namespace>) => void;
        this.watches.add(tell);
        queueMicrotask(() =>
          tell(
            this.forbidden
              ? { kind: 'stale', error: forbidden }
              : { kind: 'reset', items: [{ metadata: { name: 'shop' } }] },
          ),
        );
        return { [Symbol.asyncDispose]: async () => void this.watches.delete(tell) };
      },
      [Symbol.asyncDispose]: async () => void this.disposed.push(selection),
    };
    return kube as Kube;
  };
}

const forbidden = new SlipwayError({
  code: 'cluster.forbidden',
  message: 'You may not list namespaces.',
  cause: 'no',
  next: 'Ask.',
});
const shop = { namespace: 'shop', name: 'web' };

describe('clusters', () => {
  let folder = '';
  let file = '';
  let cluster = new FakeCluster();
  let settings = new Store<Settings>(settingsSchema.parse({}));
  let asked: Omit<Question, 'id'>[] = [];
  let answerWith = 'refuse';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-clusters-'));
    file = join(folder, 'config');
    cluster = new FakeCluster();
    settings = new Store<Settings>(settingsSchema.parse({}));
    asked = [];
    answerWith = 'refuse';
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (): Promise<OpenClusters> =>
    createClusters({
      environment: { KUBECONFIG: file },
      clock: systemClock,
      home: join(folder, 'home'),
      files: diskStateFiles,
      settings,
      openKube: cluster.open,
      questions: {
        ask: async (question) => {
          asked.push(question);
          return answerWith;
        },
      },
    });
  const guard = (id: string, choice: Settings['clusters'][string]['guard']): void =>
    settings.update((value) => ({ ...value, clusters: { [id]: { guard: choice } } }));
  const contexts = (clusters: OpenClusters): readonly (string | undefined)[] =>
    clusters.list.order.map((id) => clusters.list.items[id]?.context);

  it('are those of the kubeconfig and of each further file, with nothing secret of theirs', async () => {
    const further = join(folder, 'further');
    writeFileSync(
      file,
      kubeconfig({ name: 'dev' }, { name: 'acme-prod', server: 'https://u:hunter2@x.test:6443/k?q=1' }),
    );
    writeFileSync(further, kubeconfig({ name: 'dev' }));
    settings.update((value) => ({ ...value, kubeconfigFiles: [further, file, join(folder, 'none')] }));
    await using clusters = await open();
    expect(contexts(clusters)).toEqual(['acme-prod', 'dev', 'dev']);
    const [prod = '', dev = '', other = ''] = clusters.list.order;
    expect([prod, dev, other]).toEqual([
      clusterIdOf(file, 'acme-prod'),
      clusterIdOf(file, 'dev'),
      clusterIdOf(further, 'dev'),
    ]);
    expect(clusters.info(prod)).toMatchObject({
      server: 'https://x.test:6443/k',
      namespace: 'shop',
      guard: 'none',
      suggestedGuard: 'read-only',
      initials: 'AP',
      current: false,
    });
    expect(clusters.info(dev)).toMatchObject({ current: true, initials: 'DE' });
    expect(clusters.info(other)?.initials).toBe('DV');
    expect(clusters.list).toMatchObject({
      state: 'partial',
      notes: [`${join(folder, 'none')}: the file does not exist`],
      files: [
        { path: file, origin: 'KUBECONFIG', exists: true, contexts: 2 },
        { path: further, origin: 'settings', exists: true, contexts: 1 },
        { path: join(folder, 'none'), origin: 'settings', exists: false, contexts: 0 },
      ],
    });
    expect(JSON.stringify(clusters.list)).not.toMatch(/top-secret|hunter2/);
    expect(cluster.opened).toEqual([]);
  });

  it('of a broken file are told by file and message, and the others go on', async () => {
    const broken = join(folder, 'broken');
    writeFileSync(broken, 'contexts: [');
    settings.update((value) => ({ ...value, kubeconfigFiles: [broken, folder] }));
    await using clusters = await open();
    expect(clusters.list).toMatchObject({ state: 'error', error: { code: 'kubeconfig.invalid' } });
    writeFileSync(file, kubeconfig({ name: 'dev' }));
    await expect.poll(() => clusters.list.state).toBe('partial');
    expect(clusters.list.error).toBeUndefined();
    expect(clusters.list.notes?.[0]).toContain(broken);
    expect(clusters.list.notes?.[1]).toBe(`${folder}: it is not a file`);
  });

  it('follow their files and the settings, and keep what stays the same', async () => {
    writeFileSync(file, kubeconfig({ name: 'dev' }, { name: 'test' }));
    await using clusters = await open();
    const [dev = ''] = clusters.list.order;
    const before = clusters.info(dev);
    writeFileSync(file, kubeconfig({ name: 'dev' }, { name: 'stage' }));
    await expect.poll(() => contexts(clusters)).toEqual(['dev', 'stage']);
    expect(clusters.info(dev)).toBe(before);
    guard(dev, 'confirm');
    expect(clusters.info(dev)?.guard).toBe('confirm');
    const further = join(folder, 'further');
    writeFileSync(further, kubeconfig({ name: 'more' }));
    settings.update((value) => ({ ...value, kubeconfigFiles: [further] }));
    await expect.poll(() => contexts(clusters)).toEqual(['dev', 'stage', 'more']);
  });

  it('that there are not are an error', async () => {
    await using clusters = await open();
    for (const id of ['abc', 'constructor']) {
      await expect(clusters.kube(id)).rejects.toMatchObject({ code: 'cluster.unknown' });
      await expect(clusters.kubeFor(id, { expected: 'x', typed: 'x' })).rejects.toMatchObject({
        code: 'cluster.unknown',
      });
      expect(() => clusters.connection(id)).toThrow(expect.objectContaining({ code: 'cluster.unknown' }));
      expect(clusters.info(id)).toBeUndefined();
    }
  });

  describe('with a guard', () => {
    let id = '';
    beforeEach(() => {
      writeFileSync(file, kubeconfig({ name: 'prod' }));
      id = clusterIdOf(file, 'prod');
    });
    const remove = (kube: Kube): Promise<void> => kube.delete(resourceTypes.pod, shop);

    it('of none are written to', async () => {
      await using clusters = await open();
      expect(clusters.confirmation(id, 'web')).toBeUndefined();
      await remove(await clusters.kube(id));
      await remove(await clusters.kubeFor(id, { expected: 'web', typed: undefined }));
      expect(cluster.written).toHaveLength(2);
      expect(cluster.opened).toHaveLength(1);
    });

    it('of read-only are not, from the moment that it is chosen; what has begun can still end', async () => {
      await using clusters = await open();
      const kube = await clusters.kube(id);
      const begun = await clusters.kubeFor(id, { expected: 'web', typed: undefined });
      guard(id, 'read-only');
      await expect(remove(kube)).rejects.toMatchObject({ code: 'cluster.read-only' });
      await expect(clusters.kubeFor(id, { expected: 'web', typed: 'web' })).rejects.toMatchObject({
        code: 'cluster.read-only',
        message: expect.stringContaining('prod') as string,
      });
      await remove(begun);
      expect(cluster.written).toHaveLength(1);
    });

    it('of read-only begin nothing anew for what runs there; the others do', async () => {
      await using clusters = await open();
      for (const choice of ['none', 'confirm'] as const) {
        guard(id, choice);
        expect(() => clusters.assertMayBegin(id)).not.toThrow();
      }
      guard(id, 'read-only');
      expect(() => clusters.assertMayBegin(id)).toThrow(
        expect.objectContaining({ code: 'cluster.read-only' }),
      );
      // A kubeconfig that is away takes no guard with it.
      rmSync(file);
      await expect.poll(() => clusters.list.order).toEqual([]);
      expect(() => clusters.assertMayBegin(id)).toThrow(
        expect.objectContaining({ code: 'cluster.read-only' }),
      );
    });

    it('of confirm are after the right word alone', async () => {
      await using clusters = await open();
      guard(id, 'confirm');
      expect(clusters.confirmation(id, 'web')).toMatchObject({ type: 'web' });
      const codes: unknown[] = [];
      for (const typed of [undefined, '', 'Web', 'web ']) {
        await clusters.kubeFor(id, { expected: 'web', typed }).catch((error: unknown) => {
          codes.push((error as SlipwayError).code);
        });
      }
      expect(codes).toEqual(Array.from({ length: 4 }, () => 'cluster.confirmation-needed'));
      await expect(remove(await clusters.kube(id))).rejects.toMatchObject({
        code: 'cluster.confirmation-needed',
      });
      await remove(await clusters.kubeFor(id, { expected: 'web', typed: 'web' }));
      expect(cluster.written).toHaveLength(1);
    });
  });

  it('go on with a sign-in that is written anew, and never find themselves elsewhere', async () => {
    writeFileSync(file, kubeconfig({ name: 'dev', token: 'old' }));
    await using clusters = await open();
    const id = clusterIdOf(file, 'dev');
    const kube = await clusters.kube(id);
    using namespaces = clusters.namespaces(id);
    await expect.poll(() => namespaces.value.state).toBe('ready');
    const [first] = cluster.watches;
    writeFileSync(file, kubeconfig({ name: 'dev', token: 'new' }));
    await expect.poll(() => cluster.opened.length).toBe(2);
    expect(await clusters.kube(id)).toBe(kube);
    await kube.delete(resourceTypes.pod, shop);
    await expect.poll(() => cluster.watches.size).toBe(1);
    expect(cluster.watches.has(first ?? (() => undefined))).toBe(false);
    writeFileSync(file, kubeconfig({ name: 'dev', token: 'new', server: 'https://elsewhere.test' }));
    await expect.poll(() => cluster.opened.length).toBe(3);
    expect(await clusters.kube(id)).not.toBe(kube);
    await kube.delete(resourceTypes.pod, shop);
    await (await clusters.kube(id)).delete(resourceTypes.pod, shop);
    expect(cluster.written).toEqual([
      'https://dev.example.test new web',
      'https://dev.example.test new web',
      'https://elsewhere.test new web',
    ]);
    expect(cluster.disposed).toEqual([]);
    await kube[Symbol.asyncDispose]();
    expect(cluster.disposed).toEqual([]);
    await clusters[Symbol.asyncDispose]();
    expect(cluster.disposed).toHaveLength(3);
    expect(cluster.watches.size).toBe(0);
  });

  it('say whether they answer and as whom, and try again on request', async () => {
    writeFileSync(file, kubeconfig({ name: 'dev' }));
    await using clusters = await open();
    const id = clusterIdOf(file, 'dev');
    cluster.failure = new SlipwayError({
      code: 'credential.plugin-failed',
      message: 'No.',
      cause: 'No.',
      next: 'x',
    });
    using connection = clusters.connection(id);
    using namespaces = clusters.namespaces(id);
    expect(connection.value).toEqual({ state: 'connecting' });
    await expect.poll(() => connection.value.state).toBe('failed');
    expect(namespaces.value).toMatchObject({ state: 'error', error: { code: 'credential.plugin-failed' } });
    cluster.failure = undefined;
    clusters.retry(id);
    await expect.poll(() => connection.value.state).toBe('connected');
    expect(connection.value).toEqual({ state: 'connected', version: 'v1.34.0', user: 'dev' });
    await expect.poll(() => namespaces.value.state).toBe('ready');
    cluster.failure = new TypeError('Unexpected token in JSON');
    clusters.retry(id);
    await expect.poll(() => connection.value.error?.code).toBe('cluster.failed');
  });

  it('whose namespaces may not be listed show those that are known', async () => {
    writeFileSync(file, kubeconfig({ name: 'dev' }));
    const id = clusterIdOf(file, 'dev');
    cluster.forbidden = true;
    {
      await using clusters = await open();
      using namespaces = clusters.namespaces(id);
      await expect.poll(() => namespaces.value.state).toBe('partial');
      expect(Object.keys(namespaces.value.items)).toEqual(['shop']);
      for (const name of ['first', 'second', 'Not A Name', '__proto__']) clusters.noteNamespace(id, name);
      expect(Object.keys(namespaces.value.items)).toEqual(['shop', 'second', 'first']);
      expect(namespaces.value.notes).toHaveLength(1);
    }
    await using again = await open();
    using namespaces = again.namespaces(id);
    await expect.poll(() => Object.keys(namespaces.value.items)).toEqual(['shop', 'second', 'first']);
  });

  describe('that sign in by a program', () => {
    it('of a further file ask once, show what would run, and remember', async () => {
      const further = join(folder, 'further');
      writeFileSync(further, kubeconfig({ name: 'dev', exec: 'sign-in' }));
      settings.update((value) => ({ ...value, kubeconfigFiles: [further] }));
      const id = clusterIdOf(further, 'dev');
      {
        await using clusters = await open();
        expect(clusters.plugins()).toEqual(['sign-in']);
        using connection = clusters.connection(id);
        await expect.poll(() => connection.value.error?.code).toBe('consent.refused');
        await expect((await clusters.kube(id)).version()).rejects.toMatchObject({ code: 'consent.refused' });
        expect(asked).toHaveLength(1);
        expect(asked[0]?.code).toBe("sign-in --client-secret '•••'");
        expect(asked[0]?.text.join(' ')).toContain(further);
        expect(asked[0]?.choices[0]).toMatchObject({ id: 'refuse', danger: false });
        answerWith = 'run';
        clusters.retry(id);
        await expect.poll(() => connection.value.state).toBe('connected');
        expect(asked).toHaveLength(2);
      }
      await using again = await open();
      await (await again.kube(id)).version();
      expect(asked).toHaveLength(2);
      expect(readFileSync(join(folder, 'home', 'plugin-consents.json'), 'utf8')).not.toContain('secret');
      writeFileSync(further, kubeconfig({ name: 'dev', exec: 'another-one' }));
      await expect.poll(() => again.plugins()).toEqual(['another-one']);
      await (await again.kube(id)).version();
      expect(asked).toHaveLength(3);
    });

    it('of the kubeconfig of kubectl do not', async () => {
      writeFileSync(file, kubeconfig({ name: 'dev', exec: 'sign-in' }));
      await using clusters = await open();
      await (await clusters.kube(clusterIdOf(file, 'dev'))).version();
      expect(asked).toEqual([]);
    });
  });
});
