import type { Clock } from '../base/clock.ts';
import { TerminalModes } from './terminal-modes.ts';

const interrupt = 0x03;
/** What a terminal line prints for Ctrl-C. */
const echo = Buffer.from('^C');
/** Ends a sequence that was torn, and its colours. */
const fresh = Buffer.from('\x18\x1b[0m\r\n');
/** Output of this many bytes within {@link rateMs} is more than anyone reads. */
export const floodBytes = 256 * 1024;
export const rateMs = 500;
/** A program that reads its keys itself has no echo: no more than this is left out for it, */
export const skipBytes = 64 * 1024 * 1024;
export const skipMs = 5_000;
/** and nothing after its flood has paused this long. */
export const pauseMs = 500;

/**
 * Leaves out the flood that Ctrl-C has ended, as the line of a local terminal does: what is still on its way, in
 * buffers of several servers, is of no use to who wanted it to stop, and would stand before the answer. Begins only
 * in a flood of lines, never with a full-screen program, and ends where the line shows its ^C.
 */
export class InterruptSkip {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #modes = new TerminalModes();
  #rateSince = 0;
  #rateBytes = 0;
  #flooding = false;
  #latest = 0;
  #left = 0;
  #until = 0;
  #tail = Buffer.alloc(0);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Looks at what was typed; `heldBack` says that windows do not keep up with the output. True when what waits for
   * them is to be left out as well.
   */
  onInput(bytes: Uint8Array, heldBack: boolean): boolean {
    if (!bytes.includes(interrupt) || this.#modes.fullScreen) return false;
    if (!heldBack && !this.#isFlooding()) return false;
    const now = this.#clock.monotonic();
    this.#left = skipBytes;
    this.#until = now + skipMs;
    // Output that was held back until now has not paused.
    this.#latest = now;
    this.#tail = Buffer.alloc(0);
    return true;
  }

  /** What of the output is shown. */
  onOutput(bytes: Buffer): Buffer {
    const now = this.#clock.monotonic();
    const paused = now - this.#latest > pauseMs;
    this.#latest = now;
    this.#count(bytes.length, now);
    this.#modes.skip(bytes);
    if (this.#left <= 0) return bytes;
    // The two letters may come apart.
    const joined = Buffer.concat([this.#tail, bytes]);
    const at = joined.indexOf(echo);
    this.#left -= bytes.length;
    const over = this.#left <= 0 || now > this.#until || paused || this.#modes.fullScreen;
    if (at < 0 && !over) {
      this.#tail = joined.subarray(-1);
      return Buffer.alloc(0);
    }
    this.#left = 0;
    return Buffer.concat([fresh, at < 0 ? bytes : joined.subarray(at)]);
  }

  #count(length: number, now: number): void {
    if (now - this.#rateSince > rateMs) {
      this.#flooding = this.#rateBytes >= floodBytes && now - this.#rateSince < rateMs * 2;
      this.#rateSince = now;
      this.#rateBytes = 0;
    }
    this.#rateBytes += length;
  }

  #isFlooding(): boolean {
    const recent = this.#clock.monotonic() - this.#latest < rateMs;
    return recent && (this.#flooding || this.#rateBytes >= floodBytes);
  }
}
