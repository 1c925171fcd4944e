import type { wireLimits } from '../../contract/wire.ts';

/** Contract code stays out of the window's bundle, so the number is written twice and compared by the compiler. */
const maximumCredit: (typeof wireLimits)['credit'] = 1024;

/**
 * The window's side of a stream's credit. Room that was given back is collected, and granted when main has used up
 * half of its own: one frame for many messages, and main never stands still while there is room.
 */
export class Credit {
  readonly #window: number;
  /** What main may still send. */
  #outstanding: number;
  #returned = 0;

  constructor(window: number) {
    this.#window = Math.max(1, Math.min(window, maximumCredit));
    this.#outstanding = this.#window;
  }

  get initial(): number {
    return this.#window;
  }

  received(): void {
    this.#outstanding = Math.max(0, this.#outstanding - 1);
  }

  /** Gives room back; returns what to grant main now, or undefined. */
  give(amount: number): number | undefined {
    this.#returned = Math.min(this.#returned + amount, maximumCredit - this.#outstanding);
    if (this.#returned <= 0 || this.#outstanding > this.#window / 2) return undefined;
    const granted = this.#returned;
    this.#outstanding += granted;
    this.#returned = 0;
    return granted;
  }
}
