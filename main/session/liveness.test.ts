import { describe, expect, it } from 'vitest';
import { resourceTypes } from '../kube/resource-types.ts';
import { judgeLease, processNote, type LeaseObject } from './lease.ts';
import { judgeLeases } from './liveness.ts';
import { keys } from './names.ts';
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

describe('a Lease whose process has ended on this machine', () => {
  const processes = { hasEnded: (mark: string) => mark === 'ended' };
  const now = Date.parse('2026-01-05T10:00:30Z');
  it.each([
    ['is dead when it was silent for a moment', 'r', 'r/ended', 3, 'dead'],
    ['may still have a request on its way at first', 'r', 'r/ended', 1, 'live'],
    ['is live when nothing proves that it ended', 'r', 'r/elsewhere', 59, 'live'],
    ['is dead after its minute where nothing proves it', 'r', 'r/elsewhere', 61, 'dead'],
    ['is live when somebody without a mark has taken it over', 'later', 'r/ended', 59, 'live'],
    ['is live when its run is not told', '', '/ended', 59, 'live'],
    ['is live when it says nothing of its process', 'r', undefined, 59, 'live'],
  ])('%s', (_name, run, process, seconds, kind) => {
    const time = new Date(now - seconds * 1000);
    const annotations = { [keys.run]: run, ...(process === undefined ? {} : { [keys.process]: process }) };
    const lease = { metadata: { annotations, managedFields: [{ manager: 'slipway', time }] }, spec: {} };
    expect(judgeLease(lease, now, processes).kind).toBe(kind);
    expect(judgeLease(lease, now).kind).toBe(seconds > 60 ? 'dead' : 'live');
    expect(judgeLease(lease, undefined, processes).kind).toBe('unsure');
  });

  it('is noted with its run', () => {
    expect(processNote('run', 'mark')).toBe('run/mark');
  });
});
