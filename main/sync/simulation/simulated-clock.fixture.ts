import type { Clock } from '../../base/clock.ts';

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Time that moves only when told to; everything that waits for it runs in the order of its time. */
export class SimulatedClock implements Clock {
  #now = 0;
  #wall = 1_700_000_000_000;
  #next = 0;
  readonly #timers = new Map<number, Timer>();

  now(): number {
    return this.#wall;
  }
  monotonic(): number {
    return this.#now;
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, milliseconds, signal);
  }
  timer(milliseconds: number, callback: () => void): Disposable {
    const id = this.#next++;
    this.#timers.set(id, { due: this.#now + Math.max(0, milliseconds), run: callback });
    return { [Symbol.dispose]: () => void this.#timers.delete(id) };
  }
  /** The wall clock jumps; durations do not. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds;
  }
  /** Runs everything that falls into the next milliseconds; true when `until` became so before they were over. */
  async advance(milliseconds: number, until?: () => boolean): Promise<boolean> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      if (until?.() === true) return true;
      let first: number | undefined;
      let due = Infinity;
      for (const [id, timer] of this.#timers) if (timer.due < due) [first, due] = [id, timer.due];
      if (first === undefined || due > end) break;
      const timer = this.#timers.get(first);
      this.#timers.delete(first);
      this.#move(Math.max(due, this.#now));
      timer?.run();
      await settle();
    }
    this.#move(end);
    return until?.() === true;
  }
  #move(to: number): void {
    this.#wall += to - this.#now;
    this.#now = to;
  }
}

/** Lets everything that can run without time passing run. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function sleepWith(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason as Error);
    };
    const timer = clock.timer(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    return undefined;
  });
}

/**
 * One run of the app, which may be killed at any of its awaits: from then on nothing that it waited for ever comes,
 * and its timers are gone.
 */
export class AppProcess implements Clock {
  readonly #clock: SimulatedClock;
  readonly #timers = new Set<Disposable>();
  readonly #onKilled: (() => void)[] = [];
  #stepsLeft = Infinity;
  killed = false;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }
  monotonic(): number {
    return this.#clock.monotonic();
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, milliseconds, signal);
  }
  timer(milliseconds: number, callback: () => void): Disposable {
    if (this.killed) return { [Symbol.dispose]: () => undefined };
    const timer = this.#clock.timer(milliseconds, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.#timers.delete(timer);
      },
    };
  }

  /** It will be killed at the await that is this many away. */
  killAfter(steps: number): void {
    this.#stepsLeft = steps;
  }
  kill(): void {
    if (this.killed) return;
    this.killed = true;
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
    for (const listener of this.#onKilled) listener();
  }
  onKilled(listener: () => void): void {
    this.#onKilled.push(listener);
  }
  /** True when the process is killed at this very step, which may leave it half done. */
  diesHere(): boolean {
    if (this.killed || --this.#stepsLeft > 0) return false;
    this.kill();
    return true;
  }
  /** A place at which the process may be killed; once it is, this never comes back. */
  async step(): Promise<void> {
    this.diesHere();
    if (this.killed) await new Promise<never>(() => undefined);
  }
}
