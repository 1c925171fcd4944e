import type { Clock } from '../base/clock.ts';

/**
 * Answers that hold for a short while, so that a form that is being filled in does not read the same again with
 * each key. Failures are not kept.
 */
export class Recent<Value> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #holdMs: number;
  readonly #most: number;
  readonly #answers = new Map<string, { readonly value: Value; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, bounds: { readonly holdMs: number; readonly most: number }) {
    this.#clock = clock;
    this.#holdMs = bounds.holdMs;
    this.#most = bounds.most;
  }

  async get(key: string, find: () => Promise<Value>): Promise<Value> {
    const known = this.#answers.get(key);
    if (known !== undefined && this.#clock.monotonic() - known.at < this.#holdMs) return known.value;
    const value = await find();
    this.#answers.delete(key);
    this.#answers.set(key, { value, at: this.#clock.monotonic() });
    for (const old of this.#answers.keys()) {
      if (this.#answers.size <= this.#most) break;
      this.#answers.delete(old);
    }
    return value;
  }
}
