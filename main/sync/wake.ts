import type { Clock } from '../base/clock.ts';

/** Lets a loop sleep until something happens or a time has come. A `fire` before the `wait` is not lost. */
export class Wake {
  readonly #clock: Clock;
  #fired = false;
  #resolve: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fire(): void {
    this.#fired = true;
    this.#resolve?.();
  }

  /** Resolves after `fire`, after the time, or when the signal aborts; never rejects. */
  async wait(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#fired && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer =
          milliseconds === undefined ? undefined : this.#clock.timer(Math.max(0, milliseconds), resolve);
        const onAbort = (): void => resolve();
        signal.addEventListener('abort', onAbort, { once: true });
        this.#resolve = () => {
          timer?.[Symbol.dispose]();
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
      });
      this.#resolve?.();
      this.#resolve = undefined;
    }
    this.#fired = false;
  }
}
