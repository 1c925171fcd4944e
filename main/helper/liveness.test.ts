import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { Liveness } from './liveness.ts';

/** A clock that moves when told, and a record of what happened. */
function bench(): { advance(ms: number): void; jump(ms: number): void; liveness: Liveness; events: string[] } {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: () => Promise.resolve(),
    timer(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return { [Symbol.dispose]: () => void (timers = timers.filter((other) => other !== timer)) };
    },
  };
  const fire = (): void => {
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { callback } of due) callback();
  };
  const events: string[] = [];
  const liveness = new Liveness({
    clock,
    sendPing: () => events.push(`ping ${now}`),
    onStalled: () => events.push(`stalled ${now}`),
  });
  return {
    liveness,
    events,
    advance(ms) {
      for (const end = now + ms; now < end; ) {
        now += 100;
        fire();
      }
    },
    jump(ms) {
      now += ms;
      fire();
    },
  };
}

describe('the liveness of a connection', () => {
  it('is asked for after two quiet seconds and given up after six', () => {
    const { advance, events } = bench();
    advance(10_000);
    expect(events).toEqual(['ping 2000', 'ping 3000', 'ping 4000', 'ping 5000', 'stalled 6000']);
  });

  it('is never asked for while bytes come', () => {
    const { advance, events, liveness } = bench();
    for (let i = 0; i < 20; i += 1) {
      advance(1_000);
      liveness.heard();
    }
    expect(events).toEqual([]);
  });

  it('has its time once more after the laptop slept', () => {
    const { advance, jump, events } = bench();
    advance(1_000);
    jump(3_600_000);
    expect(events).toEqual(['ping 3601000']);
    advance(4_100);
    expect(events.at(-1)).toBe('stalled 3605000');
  });
});
