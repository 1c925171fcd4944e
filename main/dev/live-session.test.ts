import { describe, expect, it } from 'vitest';
import type { ActivityBatch, SessionDetail } from '../../contract/sessions.ts';
import { startForm } from '../../contract/workloads.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { Emitter } from '../base/event.ts';
import type { PairView } from '../sync/pair-view.ts';
import type { Held, HeldChoice } from '../sync/sync-event.ts';
import { ActivityRing } from './activity-ring.ts';
import { streamActivity } from './activity-stream.ts';
import { gatherMs, LiveSession } from './live-session.ts';

/** Timers that ring when told to. */
function handClock(): Clock & { ring(): number } {
  let timers: (() => void)[] = [];
  return {
    ...systemClock,
    now: () => Date.UTC(2026, 0, 1),
    timer(milliseconds, callback) {
      expect(milliseconds).toBe(gatherMs);
      timers.push(callback);
      return { [Symbol.dispose]: () => void (timers = timers.filter((each) => each !== callback)) };
    },
    ring() {
      const due = timers;
      timers = [];
      for (const callback of due) callback();
      return due.length;
    },
  };
}

function create(clock: Clock): LiveSession {
  const form = startForm.parse({
    ...{ cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'web', folder: '/f', containerPath: '/app' },
    ...{ createPath: false, excludes: [], ports: [], env: [] },
  });
  const initial = {
    summary: { id: 's', stage: 'starting', health: 'busy', sentence: '', held: 0, conflicts: 0, ports: 0 },
    ...{ form, phase: 'plan', reached: 'plan', progress: '', devName: 'web-dev', pairs: [], services: {} },
    ...{ ports: {}, held: {}, conflicts: {}, up: { files: 0, bytes: 0 }, down: { files: 0, bytes: 0 } },
    ...{ changes: {}, timeline: {}, commandLine: '' },
  } as unknown as SessionDetail;
  const knowledge = { leaseName: () => 'l', whyReplicasStay: () => undefined };
  const live = new LiveSession({ clock, knowledge, cluster: 'c', initial });
  live.opened([{ local: '/f', remote: '/app' }], '');
  return live;
}

function holding(holds: Held[], connected = true) {
  const answered: string[] = [];
  const view = {
    get held() {
      return holds;
    },
    files: 1,
  } as unknown as PairView;
  const sync = {
    ...{ view, onEvent: new Emitter<never>().event, inSync: () => Promise.resolve() },
    ...{ stop: () => Promise.resolve() },
    resolveHeld(id: string, choice: HeldChoice) {
      if (!connected) return false;
      answered.push(`${id} ${choice}`);
      holds.splice(0);
      return true;
    },
  };
  return { sync, answered };
}

const hold: Held = {
  ...{ id: 'brake-1', kind: 'brake', reason: 'All gone' },
  ...{
    paths: Array.from({ length: 250 }, (_, index) => `f${index}`),
    choices: ['apply', 'restore', 'leave'],
  },
};

describe('a live session', () => {
  it('makes one change of state out of thousands of files, and takes little time for each', () => {
    const clock = handClock();
    const live = create(clock);
    let changes = 0;
    live.detail.onChange(() => changes++);
    const began = performance.now();
    for (let index = 0; index < 50_000; index++) {
      const direction = index % 5 === 0 ? 'down' : 'up';
      live.sync(0, { kind: 'file', path: `src/${index}`, direction, action: 'update', bytes: 10 });
      if (index % 10 === 0) live.sync(0, { kind: 'state', state: { kind: 'syncing', remaining: index } });
    }
    const perSecond = (performance.now() - began) / 10;
    expect(clock.ring()).toBe(1);
    expect(changes).toBe(1);
    expect(live.detail.value.up).toEqual({ files: 40_000, bytes: 400_000 });
    expect(live.detail.value.down).toEqual({ files: 10_000, bytes: 100_000 });
    // 5,000 files take less of a second than one frame of a window.
    expect(perSecond).toBeLessThan(25);
  });

  it('bounds what it tells at once, and says how much it left out', () => {
    const clock = handClock();
    const live = create(clock);
    for (let index = 0; index < 3000; index++) live.sync(0, { kind: 'notice', message: `n${index}` });
    clock.ring();
    const texts = Object.values(live.detail.value.timeline).map(({ text }) => text);
    expect(texts.length).toBeLessThanOrEqual(500);
    expect(texts.at(-1)).toBe('2600 more were told at the same time.');
  });

  it('shows what is held, also when it shrinks without a word, and hands one answer on', () => {
    const clock = handClock();
    const live = create(clock);
    const holds = [hold];
    const { sync, answered } = holding(holds);
    live.pair(0, sync);
    live.sync(0, { kind: 'held', held: hold });
    clock.ring();
    const shown = live.detail.value.held['0.brake-1'];
    expect(shown).toMatchObject({ count: 250, pair: 0, kind: 'brake' });
    expect(shown?.paths).toHaveLength(100);
    expect(live.heldPaths('0.brake-1')).toHaveLength(250);
    holds[0] = { ...hold, paths: ['f1'] };
    live.sync(0, { kind: 'state', state: { kind: 'in-sync', held: 1 } });
    clock.ring();
    expect(live.detail.value.held['0.brake-1']?.count).toBe(1);
    expect(() => live.answer('0.brake-1', 'local')).toThrow('no answer');
    expect(live.answer('0.brake-1', 'leave')).toBe('f1: both sides stay as they are.');
    expect(live.answer('0.brake-1', 'leave')).toBe('It was answered like this before.');
    expect(live.answer('0.brake-1', 'apply')).toContain('nothing was changed now');
    expect(live.answer('7.none', 'apply')).toContain('nothing to answer');
    expect(answered).toEqual(['brake-1 leave']);
    clock.ring();
    expect([live.detail.value.held, live.detail.value.summary.held]).toEqual([{}, 0]);
  });

  it('says so when an answer cannot be taken now', () => {
    const live = create(handClock());
    live.pair(0, holding([hold], false).sync);
    expect(() => live.answer('0.brake-1', 'restore')).toThrow('there is no connection');
  });

  it('tells no fault of its own in detail, and is over', async () => {
    const live = create(handClock());
    live.end(new TypeError('secret of the inside'));
    await live.over;
    expect(live.detail.value.summary.stage).toBe('failed');
    expect(JSON.stringify(live.detail.value)).not.toContain('secret');
    live.requestStop(false);
    expect(live.stopSignal.aborted).toBe(false);
  });
});

describe('the stream of files that travel', () => {
  it('gives a slow window the latest, and says what it missed', async () => {
    const ring = new ActivityRing(100);
    const added = new Emitter<void>();
    const add = (count: number): void => {
      for (let index = 0; index < count; index++)
        ring.add({ at: 0, path: String(ring.end), direction: 'up', action: 'update', bytes: 0 });
      added.fire();
    };
    add(10);
    const batches: ActivityBatch[] = [];
    const window = new AbortController();
    let room = Promise.withResolvers<void>();
    const streaming = streamActivity(
      {
        ring,
        onAdded: added.event,
        over: new Promise(() => undefined),
        clock: { ...systemClock, sleep: () => Promise.resolve() },
      },
      {
        signal: window.signal,
        async send(batch) {
          batches.push(batch);
          await room.promise;
        },
      },
    );
    await Promise.resolve();
    expect(batches.map(({ items, skipped }) => [items.length, skipped])).toEqual([[10, 0]]);
    add(5000);
    room.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches.map(({ items, skipped }) => [items.length, skipped])).toEqual([
      [10, 0],
      [100, 4900],
    ]);
    expect(batches[1]?.items.at(-1)?.path).toBe('5009');
    room = Promise.withResolvers();
    window.abort();
    added.fire();
    await streaming;
  });

  it('ends with its session, after the last file', async () => {
    const clock = handClock();
    const live = create(clock);
    const batches: ActivityBatch[] = [];
    const streaming = streamActivity(
      {
        ...{ ring: live.activity, onAdded: live.onActivity, over: live.over },
        clock: { ...systemClock, sleep: () => Promise.resolve() },
      },
      { signal: new AbortController().signal, send: async (batch) => void batches.push(batch) },
    );
    live.activity.add({ at: 1, path: 'last', direction: 'up', action: 'write', bytes: 1 });
    live.end(undefined);
    await streaming;
    expect(batches.flatMap(({ items }) => items.map(({ path }) => path))).toEqual(['last']);
  });
});
