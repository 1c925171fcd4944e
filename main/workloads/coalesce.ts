import type { Clock } from '../base/clock.ts';

/**
 * Runs an action soon after it was asked for, once however often that was. What it throws goes to `onFailure`: it
 * reads what a cluster sent, and a server that sends nonsense must not end the sessions of others.
 */
export class Coalescer implements Disposable {
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #waitMs: number;
  readonly #action: () => void;
  readonly #onFailure: (error: unknown) => void;
  #timer: Disposable | undefined;
  #ended = false;

  constructor(
    clock: Pick<Clock, 'timer'>,
    waitMs: number,
    action: () => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#action = action;
    this.#onFailure = onFailure;
  }

  request(): void {
    if (this.#ended) return;
    this.#timer ??= this.#clock.timer(this.#waitMs, () => {
      this.#timer = undefined;
      try {
        this.#action();
      } catch (error) {
        this.#onFailure(error);
      }
    });
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
  }
}
