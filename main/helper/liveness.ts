import type { Clock } from '../base/clock.ts';

/** A ping is sent after so long without a byte. */
export const pingAfterMs = 2_000;
/** A connection without a byte for so long is lost. */
export const stalledAfterMs = 6_000;

export interface LivenessOptions {
  readonly clock: Clock;
  readonly sendPing: () => void;
  readonly onStalled: () => void;
}

/**
 * Tells a quiet connection from a dead one. Any received byte is life; the other end also sends some while a long
 * message is arriving there. After a sleep of the laptop the connection gets a ping and its time once more.
 */
export class Liveness implements Disposable {
  readonly #options: LivenessOptions;
  #heard: number;
  #looked: number;
  #timer: Disposable;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#heard = this.#looked = options.clock.monotonic();
    this.#timer = this.#schedule();
  }

  heard(): void {
    this.#heard = this.#options.clock.monotonic();
  }

  /** Milliseconds since the last byte. */
  get silentMs(): number {
    return Math.max(0, this.#options.clock.monotonic() - this.#heard);
  }

  #schedule(): Disposable {
    return this.#options.clock.timer(pingAfterMs / 2, () => this.#look());
  }

  #look(): void {
    const { clock, sendPing, onStalled } = this.#options;
    const now = clock.monotonic();
    const slept = now - this.#looked > pingAfterMs * 2;
    this.#looked = now;
    if (slept) this.#heard = now - pingAfterMs;
    const silent = now - this.#heard;
    if (silent >= stalledAfterMs) {
      onStalled();
      return;
    }
    if (silent >= pingAfterMs) sendPing();
    this.#timer = this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
