import { describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import { isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { LeaseObject } from './lease.ts';
import { keys } from './names.ts';
import { createSessions, type Leftover, type Sessions } from './session.ts';
import { FakeCluster } from './testing/fake-cluster.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { memoryStateFiles } from './testing/memory-state-files.ts';

const namespace = 't';
const leaseKey = { namespace, name: 'slipway-deployment-web' };

function sessionsOf(cluster: FakeCluster, user: string, files = memoryStateFiles()): Sessions {
  const kube = cluster.connect({ user });
  return createSessions({
    kube,
    stateFiles: files,
    home: '/home',
    clock: new ManualClock(),
    machine: 'laptop',
  });
}

/** A cluster with a session of anna's on `web`, dead since a minute. */
async function deadSession(): Promise<{ cluster: FakeCluster; files: ReturnType<typeof memoryStateFiles> }> {
  const cluster = new FakeCluster();
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'shop:1' }] },
  };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
  await cluster
    .connect({ user: 'deployer' })
    .create(resourceTypes.deployment, namespace, { metadata: { name: 'web' }, spec });
  const files = memoryStateFiles();
  const anna = sessionsOf(cluster, 'anna', files);
  const target = { kind: 'Deployment', name: 'web' };
  await anna.start(await anna.plan({ namespace, target, project: 'shop', changes: {} }));
  cluster.now += 61_000;
  return { cluster, files };
}

async function only(sessions: Sessions): Promise<Leftover> {
  const { items } = await sessions.leftovers({ namespace });
  expect(items).toHaveLength(1);
  return items[0]!;
}

async function replicas(cluster: FakeCluster): Promise<number | undefined> {
  const key = { namespace, name: 'web' };
  const web = await cluster.connect({ user: 'reader' }).get<V1Deployment>(resourceTypes.deployment, key);
  return web.spec?.replicas;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return isSlipwayError(error) ? error.code : String(error);
  }
}

describe('removing a leftover', () => {
  it('removes what the session added, and says what the workload keeps', async () => {
    const { cluster, files } = await deadSession();
    const anna = sessionsOf(cluster, 'anna', files);
    const leftover = await only(anna);
    expect(leftover.wouldRemove).toEqual([
      'remove Deployment web-dev and its pod',
      'leave Deployment web at 0 replicas and forget that it had 3',
      'remove Lease slipway-deployment-web',
    ]);
    expect(await anna.remove(leftover)).toMatchObject({
      done: ['Deployment web-dev was removed.', 'Lease slipway-deployment-web was removed.'],
      kept: [{ path: 'spec.replicas', was: '3', now: '0' }],
      remains: [],
    });
    expect(cluster.names(namespace)).toEqual(['Deployment/web']);
    expect(await replicas(cluster)).toBe(0);
    expect(files.contents.size).toBe(0);
  });

  it('is possible where what was changed cannot be read', async () => {
    const { cluster } = await deadSession();
    const mallory = cluster.connect({ user: 'mallory' });
    const body = { metadata: { annotations: { [keys.changes]: '{' } } };
    await mallory.patch(resourceTypes.lease, leaseKey, { kind: 'merge', body });
    await mallory.patch(resourceTypes.deployment, { namespace, name: 'web-dev' }, { kind: 'merge', body });
    const ben = sessionsOf(cluster, 'ben');
    const leftover = await only(ben);
    expect(leftover.record).toBeUndefined();
    expect(await ben.remove(leftover)).toMatchObject({ kept: [], remains: [] });
    expect(cluster.names(namespace)).toEqual(['Deployment/web']);
  });

  it('takes no other object of the same name', async () => {
    const { cluster } = await deadSession();
    const cleo = cluster.connect({ user: 'cleo' });
    const key = { namespace, name: 'web-dev' };
    const web = await cleo.get<V1Deployment>(resourceTypes.deployment, { namespace, name: 'web' });
    const spec = { ...web.spec, replicas: 1 };
    await cleo.delete(resourceTypes.deployment, key);
    await cleo.create(resourceTypes.deployment, namespace, { metadata: { name: 'web-dev' }, spec });
    const ben = sessionsOf(cluster, 'ben');
    expect(await ben.remove(await only(ben))).toMatchObject({
      done: ['Lease slipway-deployment-web was removed.'],
      kept: [
        { path: 'spec.replicas' },
        { path: 'Deployment web-dev', now: 'another object of the same name' },
      ],
    });
    expect(cluster.names(namespace)).toContain('Deployment/web-dev');
  });

  it('forgets what only this machine knows', async () => {
    const { cluster, files } = await deadSession();
    const cleo = cluster.connect({ user: 'cleo' });
    await cleo.delete(resourceTypes.lease, leaseKey);
    await cleo.delete(resourceTypes.deployment, { namespace, name: 'web-dev' });
    const anna = sessionsOf(cluster, 'anna', files);
    const leftover = await only(anna);
    expect(leftover.state).toBe('ledger-only');
    expect(leftover.wouldRemove).toEqual([
      'leave Deployment web at 0 replicas and forget that it had 3',
      'remove the note of it on this machine',
    ]);
    await anna.remove(leftover);
    expect(files.contents.size).toBe(0);
    expect(await replicas(cluster)).toBe(0);
  });

  it('is refused for a live session, also when it came to life after it was listed', async () => {
    const { cluster, files } = await deadSession();
    const anna = sessionsOf(cluster, 'anna', files);
    const leftover = await only(anna);
    const renewTime = '2026-01-05T10:01:02.000000Z';
    await cluster
      .connect({ user: 'anna' })
      .patch(resourceTypes.lease, leaseKey, { kind: 'merge', body: { spec: { renewTime } } });
    expect(await codeOf(anna.remove(leftover))).toBe('session.live');
    expect(await codeOf(anna.remove(await only(anna)))).toBe('session.live');
    expect(cluster.names(namespace)).toContain('Deployment/web-dev');
  });

  it('is not led to another namespace by a copied label', async () => {
    const { cluster, files } = await deadSession();
    const anna = sessionsOf(cluster, 'anna', files);
    const [lease] = (await cluster.connect({ user: 'r' }).list<LeaseObject>(resourceTypes.lease, namespace))
      .items;
    const { name, labels, annotations } = lease?.metadata ?? {};
    await cluster
      .connect({ user: 'mallory' })
      .create(resourceTypes.lease, 'evil', { ...lease, metadata: { name, labels, annotations } });
    const { items } = await anna.leftovers();
    expect(items.map((item) => [item.namespace, item.record === undefined]).sort()).toEqual([
      ['evil', true],
      ['t', false],
    ]);
  });
});
