import type { Clock } from '../base/clock.ts';

/** Runs an action soon after it was asked for, once however often that was. */
export class Coalescer implements Disposable {
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #waitMs: number;
  readonly #action: () => void;
  #timer: Disposable | undefined;
  #ended = false;

  constructor(clock: Pick<Clock, 'timer'>, waitMs: number, action: () => void) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#action = action;
  }

  request(): void {
    if (this.#ended) return;
    this.#timer ??= this.#clock.timer(this.#waitMs, () => {
      this.#timer = undefined;
      this.#action();
    });
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
  }
}
