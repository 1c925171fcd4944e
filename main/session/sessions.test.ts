import { describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import type { ProcessMarks } from '../base/process-marks.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { LeaseObject } from './lease.ts';
import { keys } from './names.ts';
import type { SessionPlan } from './plan.ts';
import { createSessions, type Session, type Sessions, type StartOutcome } from './session.ts';
import { FakeCluster, type FakeConnectionOptions } from './testing/fake-cluster.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { memoryStateFiles } from './testing/memory-state-files.ts';

const namespace = 't';
const request = { namespace, target: { kind: 'Deployment', name: 'web' }, project: 'shop', changes: {} };

interface Person {
  readonly sessions: Sessions;
  readonly clock: ManualClock;
  readonly files: ReturnType<typeof memoryStateFiles>;
}

function person(
  cluster: FakeCluster,
  options: FakeConnectionOptions & { machine?: string; clock?: ManualClock; processes?: ProcessMarks },
): Person {
  const { machine = 'laptop', clock = new ManualClock(), processes } = options;
  const files = memoryStateFiles();
  const kube = cluster.connect(options);
  return {
    sessions: createSessions({ kube, stateFiles: files, home: '/home', clock, machine, processes }),
    clock,
    files,
  };
}

async function clusterWithWeb(replicas = 3): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  const deployment = {
    metadata: { name: 'web', labels: { owner: 'helm' } },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'shop:1' }] },
      },
    },
  };
  await cluster
    .connect({ user: 'deployer' })
    .create(resourceTypes.deployment, namespace, deployment, { fieldManager: 'helm' });
  return cluster;
}

function web(cluster: FakeCluster): Promise<V1Deployment> {
  return cluster
    .connect({ user: 'reader' })
    .get<V1Deployment>(resourceTypes.deployment, { namespace, name: 'web' });
}

function leaseOf(cluster: FakeCluster): Promise<LeaseObject> {
  const key = { namespace, name: 'slipway-deployment-web' };
  return cluster.connect({ user: 'reader' }).get<LeaseObject>(resourceTypes.lease, key);
}

function started(outcome: StartOutcome): Session {
  if (outcome.kind !== 'started') throw new Error(`Not started: ${outcome.kind}`);
  return outcome.session;
}

async function begin(someone: Person): Promise<Session> {
  return started(await someone.sessions.start(await someone.sessions.plan(request)));
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return isSlipwayError(error) ? error.code : String(error);
  }
}

/** A process that dies at its nth write: that write and all later ones never reach the server. */
class Killed extends Error {}

function dyingAfter(writes: number): { beforeWrite: () => void } {
  let left = writes;
  return {
    beforeWrite: () => {
      if (left-- <= 0) throw new Killed('killed');
    },
  };
}

describe('a session', () => {
  it('replaces the pods by one dev pod and puts everything back', async () => {
    const cluster = await clusterWithWeb();
    const before = await web(cluster);
    const anna = person(cluster, { user: 'anna' });
    const session = await begin(anna);
    expect((await web(cluster)).spec?.replicas).toBe(0);
    expect(await session.waitForPod()).toMatchObject({ name: 'web-dev-0', container: 'web', restarts: 0 });
    const report = await session.stop();
    expect(report).toMatchObject({ kept: [], remains: [] });
    const after = await web(cluster);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata?.managedFields).toEqual(before.metadata?.managedFields);
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations);
    expect(cluster.names(namespace)).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Pod/web-2']);
    expect(anna.files.contents.size).toBe(0);
  });

  it('is refused before anything is changed when a right is missing', async () => {
    const cluster = await clusterWithWeb();
    const writes: string[] = [];
    const anna = person(cluster, {
      user: 'anna',
      beforeWrite: ({ verb, plural }) => void writes.push(`${verb} ${plural}`),
    });
    const plan = await anna.sessions.plan(request);
    const missing = { verb: 'patch', group: 'apps', resource: 'deployments', subresource: 'scale' };
    expect(await codeOf(anna.sessions.start(plan, { missingRights: [missing] }))).toBe('rights.missing');
    expect(writes).toEqual([]);
    expect(anna.files.contents.size).toBe(0);
  });

  it('is undone when one of its steps fails', async () => {
    const cluster = await clusterWithWeb();
    const refuse = ({ subresource }: { subresource: string | undefined }): void => {
      if (subresource === 'scale') {
        throw new SlipwayError({ code: 'cluster.forbidden', message: 'You may not scale.', next: 'Ask.' });
      }
    };
    const anna = person(cluster, { user: 'anna', beforeWrite: refuse });
    expect(await codeOf(begin(anna))).toBe('cluster.forbidden');
    expect(cluster.names(namespace)).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Pod/web-2']);
  });

  it('is undone when it is cancelled half-way', async () => {
    const cluster = await clusterWithWeb();
    const anna = person(cluster, { user: 'anna' });
    const cancel = new AbortController();
    const plan = await anna.sessions.plan(request);
    const onProgress = (text: string): void => {
      if (text.startsWith('Scaling')) cancel.abort();
    };
    await expect(anna.sessions.start(plan, { onProgress, signal: cancel.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(cluster.names(namespace)).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Pod/web-2']);
    expect(anna.files.contents.size).toBe(0);
  });

  it('that can be neither started nor undone is told to leave something', async () => {
    const cluster = await clusterWithWeb();
    let away = false;
    const beforeWrite = ({ subresource }: { subresource: string | undefined }): void => {
      away ||= subresource === 'scale';
      if (away) throw new SlipwayError({ code: 'cluster.unreachable', message: 'Nobody answers.', next: '' });
    };
    const anna = person(cluster, { user: 'anna', beforeWrite });
    const cancel = new AbortController();
    const plan = await anna.sessions.plan(request);
    const onProgress = (text: string): void => {
      if (text.startsWith('Scaling')) {
        away = true;
        cancel.abort();
      }
    };
    const start = anna.sessions.start(plan, { onProgress, signal: cancel.signal });
    await expect(start).rejects.toMatchObject({
      code: 'session.restore-incomplete',
      causeText: 'Nobody answers.',
      next: expect.stringContaining('slipway reset pods -n t') as string,
    });
  });

  it('is refused while another one lives, and says whose it is', async () => {
    const cluster = await clusterWithWeb();
    const session = await begin(person(cluster, { user: 'anna' }));
    const ben = person(cluster, { user: 'ben' });
    const plan = await ben.sessions.plan(request);
    expect(plan.heldBy).toMatchObject({ holder: 'anna@laptop', live: true });
    await expect(ben.sessions.start(plan)).rejects.toMatchObject({
      code: 'session.live',
      message: expect.stringContaining('anna') as string,
    });
    await session.stop();
  });

  it('is had by exactly one of many that start at once', async () => {
    const cluster = await clusterWithWeb();
    const people = ['anna', 'ben', 'cleo', 'dora'].map((user) => person(cluster, { user }));
    const plans = await Promise.all(people.map(({ sessions }) => sessions.plan(request)));
    const outcomes = await Promise.allSettled(
      people.map(({ sessions }, index) => sessions.start(plans[index]!)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'session.live' });
    }
    expect(cluster.names(namespace).filter((name) => name.startsWith('Lease/'))).toHaveLength(1);
  });

  it('keeps and reports what colleagues changed meanwhile', async () => {
    const cluster = await clusterWithWeb();
    const colleague = cluster.connect({ user: 'cleo' });
    const anna = person(cluster, { user: 'anna' });
    const session = await begin(anna);
    cluster.now += 5_000;
    const template = { spec: { containers: [{ name: 'web', image: 'shop:2' }] } };
    const body = { spec: { template } };
    const key = { namespace, name: 'web' };
    await colleague.patch(
      resourceTypes.deployment,
      key,
      { kind: 'merge', body },
      { fieldManager: 'kubectl-set' },
    );
    const report = await session.stop();
    expect(report.kept).toEqual([
      { path: 'containers[web].image', was: 'shop:1', now: 'shop:2', by: 'kubectl-set' },
    ]);
    const after = await web(cluster);
    expect(after.spec?.replicas).toBe(3);
    expect(after.spec?.template.spec?.containers[0]?.image).toBe('shop:2');
  });

  it('tells at once when somebody scales the workload up again, and leaves it so', async () => {
    const cluster = await clusterWithWeb();
    const session = await begin(person(cluster, { user: 'anna' }));
    const events: unknown[] = [];
    session.onEvent((event) => events.push(event));
    await settle();
    const body = { spec: { replicas: 5 } };
    await cluster
      .connect({ user: 'argo' })
      .patch(
        resourceTypes.deployment,
        { namespace, name: 'web' },
        { kind: 'merge', body },
        { fieldManager: 'argocd' },
      );
    await settle();
    expect(events).toEqual([{ kind: 'target', event: { kind: 'replicas-changed', to: 5, by: 'argocd' } }]);
    const report = await session.stop();
    expect(report.kept).toEqual([{ path: 'spec.replicas', was: '3', now: '5', by: 'argocd' }]);
    expect((await web(cluster)).spec?.replicas).toBe(5);
  });

  it("tells that it was lost when its Lease is somebody else's", async () => {
    const cluster = await clusterWithWeb();
    const anna = person(cluster, { user: 'anna' });
    const session = await begin(anna);
    const events: unknown[] = [];
    session.onEvent((event) => events.push(event));
    cluster.now += 120_000;
    const ben = person(cluster, { user: 'ben' });
    await ben.sessions.reset({ namespace, force: true });
    await anna.clock.advance(20_000);
    expect(events).toContainEqual({ kind: 'lease', event: { kind: 'lost', holder: undefined } });
    expect(await codeOf(session.stop())).toBe('session.not-found');
    expect((await web(cluster)).spec?.replicas).toBe(3);
  });

  it('writes its Lease again when somebody only removed that', async () => {
    const cluster = await clusterWithWeb();
    const anna = person(cluster, { user: 'anna' });
    const session = await begin(anna);
    const name = 'slipway-deployment-web';
    await cluster.connect({ user: 'cleo' }).delete(resourceTypes.lease, { namespace, name });
    await anna.clock.advance(20_000);
    expect(cluster.names(namespace)).toContain(`Lease/${name}`);
    await session.stop();
    expect(cluster.names(namespace).filter((item) => item.includes('slipway'))).toEqual([]);
  });
});

describe('a killed process', () => {
  const writesOfAStart = 6;

  it.each(Array.from({ length: writesOfAStart + 1 }, (_, index) => index))(
    'that dies after %i writes of a start leaves what another machine restores',
    async (writes) => {
      const cluster = await clusterWithWeb();
      const before = await web(cluster);
      const anna = person(cluster, { user: 'anna', ...dyingAfter(writes) });
      const plan = await anna.sessions.plan(request);
      await anna.sessions.start(plan).catch((error: unknown) => {
        expect(error instanceof Killed || error instanceof AggregateError).toBe(true);
      });
      const elsewhere = person(cluster, { user: 'anna', machine: 'another' });
      expect(
        (await elsewhere.sessions.leftovers({ namespace })).items.every(({ state }) => state === 'live'),
      ).toBe(true);
      cluster.now += 61_000;
      const report = await elsewhere.sessions.reset({ namespace });
      expect(report.failed).toEqual([]);
      const after = await web(cluster);
      expect(after.spec).toEqual(before.spec);
      expect(after.metadata?.managedFields).toEqual(before.metadata?.managedFields);
      expect(cluster.names(namespace)).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Pod/web-2']);
    },
  );

  it.each([0, 1, 2, 3, 4, 5])(
    'that dies after %i writes of a stop leaves what another machine restores',
    async (writes) => {
      const cluster = await clusterWithWeb();
      const before = await web(cluster);
      const death = { now: false, left: writes };
      const beforeWrite = (): void => {
        if (death.now && death.left-- <= 0) throw new Killed('killed');
      };
      const session = await begin(person(cluster, { user: 'anna', beforeWrite }));
      death.now = true;
      await session.stop().catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      cluster.now += 61_000;
      const report = await person(cluster, { user: 'anna', machine: 'another' }).sessions.reset({
        namespace,
      });
      expect(report.failed).toEqual([]);
      const after = await web(cluster);
      expect(after.spec).toEqual(before.spec);
      expect(after.metadata?.managedFields).toEqual(before.metadata?.managedFields);
      expect(cluster.names(namespace)).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Pod/web-2']);
    },
  );

  it('that was killed is restored at once on its own machine, and after its minute from elsewhere', async () => {
    const cluster = await clusterWithWeb();
    const before = await web(cluster);
    const dead = { processes: { own: 'killed', hasEnded: () => false } };
    await begin(person(cluster, { user: 'anna', ...dead }));
    const lease = await leaseOf(cluster);
    expect(lease.metadata?.annotations?.[keys.process]).toBe(
      `${lease.metadata?.annotations?.[keys.run]}/killed`,
    );
    const processes = { own: 'next', hasEnded: (mark: string) => mark === 'killed' };
    const here = person(cluster, { user: 'anna', processes }).sessions;
    const elsewhere = [
      person(cluster, { user: 'anna', machine: 'laptop' }),
      person(cluster, { user: 'anna', processes: { own: 'x', hasEnded: () => false } }),
    ];
    const stateFor = async (sessions: Sessions) => (await sessions.leftovers({ namespace })).items[0]?.state;
    expect(await stateFor(here)).toBe('live');
    cluster.now += 3_000;
    expect(await stateFor(here)).toBe('dead');
    for (const { sessions } of elsewhere) expect(await stateFor(sessions)).toBe('live');
    cluster.now += 55_000;
    for (const { sessions } of elsewhere) expect(await stateFor(sessions)).toBe('live');
    expect((await here.reset({ namespace })).failed).toEqual([]);
    expect((await web(cluster)).spec).toEqual(before.spec);
    expect(cluster.names(namespace)).not.toContain('Lease/slipway-deployment-web');
  });

  it.each([
    ['by a process with a mark', { own: 'next', hasEnded: (mark: string) => mark === 'killed' }, 'next'],
    ['by one without', { own: undefined, hasEnded: (mark: string) => mark === 'killed' }, undefined],
  ])('that is continued %s is held by that one', async (_name, processes, mark) => {
    const cluster = await clusterWithWeb();
    const dead = { processes: { own: 'killed', hasEnded: () => false } };
    await begin(person(cluster, { user: 'anna', ...dead }));
    cluster.now += 3_000;
    const { sessions } = person(cluster, { user: 'anna', processes });
    started(await sessions.start(await sessions.plan(request), { ownDead: 'continue' }));
    const { annotations = {} } = (await leaseOf(cluster)).metadata ?? {};
    const note = mark === undefined ? undefined : `${annotations[keys.run]}/${mark}`;
    expect(annotations[keys.process]).toBe(note);
    cluster.now += 3_000;
    expect((await sessions.leftovers({ namespace })).items[0]?.state).toBe('live');
  });

  it('does not make a live session look dead, however wrong the clocks of laptops are', async () => {
    const cluster = await clusterWithWeb();
    const slow = new ManualClock(Date.parse('2026-01-05T08:00:00Z'));
    const session = await begin(person(cluster, { user: 'anna', clock: slow }));
    const fast = new ManualClock(Date.parse('2026-01-06T10:00:00Z'));
    const ben = person(cluster, { user: 'ben', clock: fast });
    for (let minute = 0; minute < 3; minute++) {
      for (let beat = 0; beat < 4; beat++) {
        cluster.now += 15_000;
        await slow.advance(15_000);
      }
      const { items } = await ben.sessions.leftovers({ namespace });
      expect(items.map(({ state }) => state)).toEqual(['live']);
    }
    await session.stop();
  });

  it('is offered to its own user to continue, and to nobody else', async () => {
    const cluster = await clusterWithWeb();
    await begin(person(cluster, { user: 'anna' }));
    cluster.now += 61_000;
    const ben = person(cluster, { user: 'ben' });
    expect(await codeOf(begin(ben))).toBe('session.leftover');
    const anna = person(cluster, { user: 'anna' });
    const plan: SessionPlan = await anna.sessions.plan({ ...request, changes: { image: 'dev:1' } });
    expect(plan.warnings.join(' ')).not.toContain('0 replicas');
    expect(await anna.sessions.start(plan)).toMatchObject({ kind: 'own-dead' });
    const session = started(await anna.sessions.start(plan, { ownDead: 'continue' }));
    expect(session.epoch).toBe(2);
    const key = { namespace, name: 'web-dev' };
    const dev = await cluster.connect({ user: 'r' }).get<V1Deployment>(resourceTypes.deployment, key);
    expect(dev.spec?.template.spec?.containers[0]?.image).toBe('dev:1');
    await session.stop();
    expect((await web(cluster)).spec?.replicas).toBe(3);
    expect(cluster.names(namespace).filter((name) => name.includes('dev'))).toEqual([]);
  });

  it('is restored for others only by force', async () => {
    const cluster = await clusterWithWeb();
    await begin(person(cluster, { user: 'anna' }));
    cluster.now += 61_000;
    const ben = person(cluster, { user: 'ben' });
    const polite = await ben.sessions.reset({ namespace });
    expect(polite.restored).toEqual([]);
    expect(polite.skipped).toHaveLength(1);
    expect((await ben.sessions.reset({ namespace, force: true })).restored).toHaveLength(1);
    expect((await web(cluster)).spec?.replicas).toBe(3);
  });

  it('is found and restored when its Lease was removed as well', async () => {
    const cluster = await clusterWithWeb();
    await begin(person(cluster, { user: 'anna' }));
    cluster.now += 61_000;
    const name = 'slipway-deployment-web';
    await cluster.connect({ user: 'cleo' }).delete(resourceTypes.lease, { namespace, name });
    const anna = person(cluster, { user: 'anna', machine: 'another' });
    expect((await anna.sessions.leftovers({ namespace })).items).toMatchObject([
      { state: 'no-lease', mine: true },
    ]);
    expect((await anna.sessions.reset({ namespace })).restored).toHaveLength(1);
    expect((await web(cluster)).spec?.replicas).toBe(3);
    expect(cluster.names(namespace).some((item) => item.includes('slipway'))).toBe(false);
  });

  it('is restored from the ledger when everything of it in the cluster was removed', async () => {
    const cluster = await clusterWithWeb();
    const anna = person(cluster, { user: 'anna' });
    await begin(anna);
    anna.files.contents.set('/home/sessions/torn.json', Buffer.from('{"version":1,"ser'));
    cluster.now += 61_000;
    const cleo = cluster.connect({ user: 'cleo' });
    await cleo.delete(resourceTypes.lease, { namespace, name: 'slipway-deployment-web' });
    await cleo.delete(resourceTypes.deployment, { namespace, name: 'web-dev' });
    expect((await anna.sessions.leftovers({ namespace })).items).toMatchObject([{ state: 'ledger-only' }]);
    await anna.sessions.reset({ namespace });
    expect((await web(cluster)).spec?.replicas).toBe(3);
  });

  it('leaves a workload alone that was recreated meanwhile', async () => {
    const cluster = await clusterWithWeb();
    await begin(person(cluster, { user: 'anna' }));
    cluster.now += 61_000;
    const cleo = cluster.connect({ user: 'cleo' });
    const { spec } = await web(cluster);
    await cleo.delete(resourceTypes.deployment, { namespace, name: 'web' });
    await cleo.create(resourceTypes.deployment, namespace, { metadata: { name: 'web' }, spec });
    const { restored } = await person(cluster, { user: 'anna' }).sessions.reset({ namespace });
    expect(restored).toMatchObject([
      { kept: [{ path: 'Deployment web', now: 'another object of the same name' }] },
    ]);
    expect((await web(cluster)).spec?.replicas).toBe(0);
  });
});
