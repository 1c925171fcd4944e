import { describe, expect, it } from 'vitest';
import { resourceTypes } from '../kube/resource-types.ts';
import { judgeLease, type LeaseObject } from './lease.ts';
import { judgeLeases } from './liveness.ts';
import { FakeCluster } from './testing/fake-cluster.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';

describe("a Lease without the server's own times", () => {
  it.each([
    ['live when it is written while it is watched', true, 'live'],
    ['dead when nobody writes it', false, 'dead'],
  ])('is %s', async (_name, isWritten, kind) => {
    const cluster = new FakeCluster();
    const kube = cluster.connect({ user: 'anna' });
    const body = {
      metadata: { name: 'slipway-deployment-web' },
      spec: { renewTime: '2026-01-05T10:00:00.000000Z' },
    };
    const created = await kube.create<LeaseObject>(resourceTypes.lease, 't', body);
    const lease = { ...created, metadata: { ...created.metadata, managedFields: [] } };
    const clock = new ManualClock();
    const judged = judgeLeases({ kube, clock }, [lease]);
    await settle();
    await clock.advance(10_000);
    const key = { namespace: 't', name: 'slipway-deployment-web' };
    const renewal = { spec: { renewTime: '2026-01-05T10:00:10.000000Z' } };
    if (isWritten) await kube.patch(resourceTypes.lease, key, { kind: 'merge', body: renewal });
    await clock.advance(10_000);
    expect(await judged).toMatchObject([{ kind }]);
  });
});

it.each([
  ['nobody knows without times', [], 'unsure'],
  ['it is live a minute after it was written', ['2026-01-05T10:00:00Z'], 'live'],
  ['it is dead after that', ['2026-01-05T09:58:00Z', '2026-01-05T09:59:20Z'], 'dead'],
])('of a Lease that was never renewed %s', (_name, times, kind) => {
  const managedFields = times.map((time) => ({ manager: 'someone', time: new Date(time) }));
  const now = Date.parse('2026-01-05T10:00:30Z');
  expect(judgeLease({ metadata: { managedFields }, spec: {} }, now)).toMatchObject({ kind });
});
