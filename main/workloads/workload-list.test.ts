import type { KubernetesObject } from '@kubernetes/client-node';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { Kube, WatchEvent } from '../kube/kube.ts';
import { judgeLease } from '../session/lease.ts';
import { keys, managedByValue, sessionObjectsSelector } from '../session/names.ts';
import { selectorText, sessionOf } from '../session/objects.ts';
import { findOwners, ownerWarning } from '../session/owners.ts';
import { obstacles } from '../session/plan.ts';
import { WorkloadList, type ListDependencies } from './workload-list.ts';

type Listener = (event: WatchEvent<KubernetesObject>) => void;

/** A cluster whose watches are told by hand. */
function fakeCluster() {
  const listeners = new Map<string, Listener>();
  const changes = new Emitter<void>();
  const sessions = new Emitter<void>();
  const kube = {
    watch: (
      type: { plural: string },
      namespace: string | undefined,
      _options: unknown,
      listener: Listener,
    ) => {
      listeners.set(`${namespace ?? '*'}/${type.plural}`, listener);
      return {
        [Symbol.asyncDispose]: async () => void listeners.delete(`${namespace ?? '*'}/${type.plural}`),
      };
    },
    whoAmI: async () => ({ username: 'anna', groups: [] }),
  } as unknown as Kube;
  const own = new Map<string, string>();
  const dependencies: ListDependencies = {
    clusters: { kube: async () => kube, onChange: changes.event } as unknown as Clusters,
    clock: systemClock,
    live: { sessionOn: ({ name }) => own.get(name), onChange: sessions.event },
    session: {
      ...{ findOwners, ownerWarning, obstacles, sessionOf, selectorText, judgeLease },
      ...{ keys, sessionObjectsSelector, serverTime: async () => undefined },
    },
  };
  return { listeners, dependencies, own, sessions };
}

function deployment(name: string, more: object = {}): KubernetesObject {
  return {
    metadata: { name, namespace: 'shop', uid: name, ...more },
    spec: { replicas: 1 },
  } as KubernetesObject;
}

const plurals = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'jobs', 'pods', 'leases'];

let open: WorkloadList | undefined;

afterEach(() => {
  open?.[Symbol.dispose]();
  open = undefined;
});

async function listWith(items: readonly KubernetesObject[]) {
  const cluster = fakeCluster();
  const list = new WorkloadList(cluster.dependencies, { cluster: 'c', namespaces: ['shop'] });
  open = list;
  await expect.poll(() => cluster.listeners.size).toBe(plurals.length);
  const tell = (plural: string, event: WatchEvent<KubernetesObject>) =>
    cluster.listeners.get(`shop/${plural}`)?.(event);
  for (const plural of plurals) tell(plural, { kind: 'reset', items: plural === 'deployments' ? items : [] });
  await expect.poll(() => list.store.value.state).toBe('ready');
  return { ...cluster, list, tell };
}

function names(list: WorkloadList): string[] {
  return Object.values(list.store.value.items).map(({ name }) => name);
}

describe('the list of workloads', () => {
  it('follows what comes, changes and goes, and keeps what stays', async () => {
    const { list, tell } = await listWith([deployment('a'), deployment('b')]);
    const before = list.store.value.items['shop/Deployment/a'];
    tell('deployments', { kind: 'added', object: deployment('c') });
    tell('deployments', {
      kind: 'modified',
      object: { ...deployment('b'), spec: { replicas: 4 } } as KubernetesObject,
    });
    tell('deployments', { kind: 'modified', object: deployment('a', { resourceVersion: '2' }) });
    await expect.poll(() => names(list)).toEqual(['a', 'b', 'c']);
    expect(list.store.value.items['shop/Deployment/b']?.desired).toBe(4);
    expect(list.store.value.items['shop/Deployment/a']).toBe(before);
    tell('deployments', { kind: 'deleted', object: deployment('b') });
    await expect.poll(() => names(list)).toEqual(['a', 'c']);
    tell('deployments', { kind: 'reset', items: [deployment('c')] });
    await expect.poll(() => names(list)).toEqual(['c']);
  });

  it('shows a dev object on its target and not by itself', async () => {
    const dev = deployment('web-dev', {
      labels: { [keys.managedBy]: managedByValue, [keys.session]: 's' },
      annotations: { [keys.target]: 'Deployment/web', [keys.user]: 'ben', [keys.machine]: 'laptop' },
    });
    const { list, tell, own, sessions } = await listWith([deployment('web'), dev]);
    expect(names(list)).toEqual(['web']);
    expect(list.store.value.items['shop/Deployment/web']?.dev).toMatchObject({
      state: 'dead',
      holder: 'ben@laptop',
    });
    own.set('web', 'mine');
    sessions.fire();
    await expect
      .poll(() => list.store.value.items['shop/Deployment/web']?.dev)
      .toMatchObject({ state: 'mine', session: 'mine' });
    own.clear();
    tell('deployments', { kind: 'deleted', object: dev });
    await expect.poll(() => list.store.value.items['shop/Deployment/web']?.dev).toBeUndefined();
  });

  it('says what is forbidden, and since when it is old', async () => {
    const { list, tell } = await listWith([deployment('a')]);
    const error = new SlipwayError({ code: 'cluster.forbidden', message: 'No.', next: '' });
    tell('pods', { kind: 'stale', error });
    await expect
      .poll(() => list.store.value)
      .toMatchObject({ state: 'partial', notes: ['You may not list Pods in shop.'] });
    const lost = new SlipwayError({ code: 'cluster.unreachable', message: 'Away.', next: '' });
    tell('deployments', { kind: 'stale', error: lost });
    await expect
      .poll(() => list.store.value)
      .toMatchObject({ state: 'stale', error: { code: 'cluster.unreachable' } });
    expect(names(list)).toEqual(['a']);
    expect(list.store.value.since).toMatch(/^\d{4}-/);
    tell('deployments', { kind: 'reset', items: [deployment('a')] });
    await expect.poll(() => list.store.value.state).toBe('partial');
  });

  it.each([
    ['containers', { spec: { template: { spec: { containers: 'many' } } } }],
    ['owners', { metadata: { name: 'x', namespace: 'shop', managedFields: 'x' } }],
    ['a name', { metadata: { name: 7 } }],
  ])('leaves out an object with nonsense for %s, says so, and goes on', async (_what, nonsense) => {
    const { list, tell } = await listWith([deployment('a')]);
    const object = { ...deployment('x'), ...nonsense } as unknown as KubernetesObject;
    tell('deployments', { kind: 'added', object });
    tell('deployments', { kind: 'added', object: deployment('b') });
    await expect
      .poll(() => list.store.value)
      .toMatchObject({
        state: 'partial',
        notes: [expect.stringMatching(/^1 object makes no sense and is left out: Deployment /) as string],
      });
    expect(names(list)).toEqual(['a', 'b']);
    tell('deployments', { kind: 'reset', items: [deployment('a'), deployment('x')] });
    await expect.poll(() => list.store.value).toMatchObject({ state: 'ready' });
    expect(names(list)).toEqual(['a', 'x']);
  });

  it('leaves out a Lease that makes no sense, and shows the others', async () => {
    const { list, tell } = await listWith([deployment('a'), deployment('web')]);
    const lease = (name: string, annotations: unknown) =>
      ({
        metadata: {
          ...{ name, namespace: 'shop', annotations },
          labels: { [keys.managedBy]: managedByValue, [keys.session]: name },
        },
      }) as unknown as KubernetesObject;
    const good = lease('good', { [keys.target]: 'Deployment/web', [keys.user]: 'ben', [keys.machine]: 'm' });
    tell('leases', { kind: 'reset', items: [lease('bad', { [keys.target]: 7 }), good] });
    await expect.poll(() => list.store.value.state).toBe('partial');
    expect(list.store.value.notes).toEqual(['1 object makes no sense and is left out: Lease shop/bad.']);
    expect(list.store.value.items['shop/Deployment/web']?.dev?.holder).toBe('ben@m');
  });

  it('takes a rollout of thousands at once without a stall', async () => {
    const { list, tell } = await listWith([]);
    const started = performance.now();
    for (let index = 0; index < 10_000; index += 1)
      tell('deployments', { kind: 'added', object: deployment(`w${index}`) });
    // A set that was copied for each took fourteen seconds.
    expect(performance.now() - started).toBeLessThan(1000);
    await expect.poll(() => names(list).length).toBe(10_000);
  });

  it('stays fast with five thousand workloads', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => deployment(`w${index}`));
    const { list, tell } = await listWith(many);
    const before = list.store.value.items;
    let changes = 0;
    using _counting = list.store.onChange(() => (changes += 1));
    for (let turn = 0; turn < 2_000; turn += 1) {
      const object = { ...deployment(`w${turn % 50}`), spec: { replicas: turn } } as KubernetesObject;
      tell('deployments', { kind: 'modified', object });
    }
    await expect.poll(() => list.store.value.items['shop/Deployment/w49']?.desired).toBe(1_999);
    expect(changes).toBeLessThan(5);
    const after = list.store.value.items;
    const same = Object.keys(after).filter((key) => after[key] === before[key]);
    expect(same).toHaveLength(4_950);
  });
});
