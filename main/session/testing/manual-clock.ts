import type { Clock } from '../../base/clock.ts';

/** A clock that stands still until it is told how far to go. */
export class ManualClock implements Clock {
  #now: number;
  readonly #start: number;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(start = Date.parse('2026-01-05T10:00:00Z')) {
    this.#start = start;
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const timer = this.timer(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        timer[Symbol.dispose]();
        reject(signal.reason);
      });
    });
  }

  timer(milliseconds: number, callback: () => void): Disposable {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Lets time pass, in order, with room after each timer for what it sets off. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers]
        .filter(({ at }) => at <= end)
        .sort((left, right) => left.at - right.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that needs no time happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
