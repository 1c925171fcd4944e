const filler = 'GET /api/orders/4711?expand=items 200 12ms worker-3';
/** Longest piece of a log at a time. */
const pieceLines = 2000;

/** A log whose lines say their numbers, each written at a time that follows from its number. */
export class NumberedLog {
  readonly #startMs: number;
  readonly #perMs: number;
  readonly #count: number;

  constructor(startMs: number, perSecond: number, seconds: number) {
    this.#startMs = startMs;
    this.#perMs = perSecond / 1000;
    this.#count = perSecond * seconds;
  }

  /** The number of the first line that was written at that time or later. */
  firstSince(timeMs: number): number {
    return Math.max(1, Math.ceil((timeMs - this.#startMs) * this.#perMs));
  }

  /** The number of the last line that is there. */
  lastAt(nowMs: number): number {
    return Math.min(this.#count, Math.floor((nowMs - this.#startMs) * this.#perMs));
  }

  /** Lines with their times, and the number to go on with. */
  piece(from: number, nowMs: number): { readonly text: string; readonly next: number } {
    const last = Math.min(this.lastAt(nowMs), from + pieceLines - 1);
    let text = '';
    for (let number = from; number <= last; number++) text += `${this.#stamp(number)} ${number} ${filler}\n`;
    return { text, next: Math.max(from, last + 1) };
  }

  #stamp(number: number): string {
    const offset = number / this.#perMs;
    const whole = Math.floor(offset);
    const nanos = Math.floor((offset - whole) * 1e6);
    const iso = new Date(this.#startMs + whole).toISOString();
    return `${iso.slice(0, -1)}${String(nanos).padStart(6, '0')}Z`;
  }
}
