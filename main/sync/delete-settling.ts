/** Milliseconds without a further deletion after which deletions are carried out, and the longest wait. */
export const deleteQuietMs = 50;
export const deleteWaitLimitMs = 1000;

/**
 * Gathers deletions for a moment, so that a mass deletion is seen whole by the brake, and an editor that removes a
 * file before it writes it again is not seen deleting.
 */
export class DeleteSettling {
  readonly #seen = new Set<string>();
  #first = 0;
  #last = 0;

  /** Milliseconds (monotonic) at which what was seen may be carried out; undefined when nothing was. */
  get due(): number | undefined {
    return this.#seen.size === 0
      ? undefined
      : Math.min(this.#last + deleteQuietMs, this.#first + deleteWaitLimitMs);
  }

  see(paths: readonly string[], now: number): void {
    for (const path of paths) {
      if (this.#seen.has(path)) continue;
      if (this.#seen.size === 0) this.#first = now;
      this.#seen.add(path);
      this.#last = now;
    }
  }

  settled(now: number): boolean {
    const { due } = this;
    return due === undefined || now >= due;
  }

  reset(): void {
    this.#seen.clear();
  }
}
