import type { Clock } from '../../base/clock.ts';

/** A clock that stands still until it is moved on; due timers and sleeps then fire in order. */
export interface FakeClock extends Clock {
  advance(milliseconds: number): Promise<void>;
}

export function createFakeClock(start = 1_000_000): FakeClock {
  let time = start;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  const timer = (milliseconds: number, fire: () => void): Disposable => {
    const entry = { at: time + milliseconds, fire };
    timers.add(entry);
    return { [Symbol.dispose]: () => void timers.delete(entry) };
  };
  return {
    now: () => time,
    monotonic: () => time,
    timer,
    sleep(milliseconds, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const handle = timer(milliseconds, resolve);
        signal?.addEventListener('abort', () => {
          handle[Symbol.dispose]();
          reject(signal.reason as Error);
        });
      });
    },
    async advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        time = Math.max(time, due.at);
        due.fire();
        await new Promise((resolve) => setImmediate(resolve));
      }
      time = end;
    },
  };
}
