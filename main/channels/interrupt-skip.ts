import type { Clock } from '../base/clock.ts';

const interrupt = 0x03;
/** What a terminal line prints for Ctrl-C. */
const echo = Buffer.from('^C');
/** Ends a sequence that was torn, and its colours. */
const fresh = Buffer.from('\x18\x1b[0m\r\n');
/** A program that reads its keys itself has no echo: no more than this is left out for it. */
export const skipBytes = 8 * 1024 * 1024;
export const skipMs = 500;

/**
 * Leaves out the flood that Ctrl-C has ended, as the line of a local terminal does: what the window did not take in
 * time is of no use to who wanted it to stop, and would stand before the answer. Begins only while a flood is held
 * back, and ends where the line shows its ^C.
 */
export class InterruptSkip {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #until = 0;
  #left = 0;
  #tail = Buffer.alloc(0);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get skipping(): boolean {
    return this.#left > 0;
  }

  /** Looks at what was typed; true when what waits is to be left out from now on. */
  onInput(bytes: Uint8Array, flooded: boolean): boolean {
    if (!flooded || !bytes.includes(interrupt)) return false;
    this.#left = skipBytes;
    this.#until = this.#clock.monotonic() + skipMs;
    this.#tail = Buffer.alloc(0);
    return true;
  }

  /** What of the output is shown. */
  onOutput(bytes: Buffer): Buffer {
    if (!this.skipping) return bytes;
    // The two letters may come apart.
    const joined = Buffer.concat([this.#tail, bytes]);
    const at = joined.indexOf(echo);
    this.#left -= bytes.length;
    const over = this.#left <= 0 || this.#clock.monotonic() > this.#until;
    if (at < 0 && !over) {
      this.#tail = joined.subarray(-1);
      return Buffer.alloc(0);
    }
    this.#left = 0;
    return Buffer.concat([fresh, at < 0 ? bytes : joined.subarray(at)]);
  }
}
