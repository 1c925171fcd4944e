import type { Clock } from '../base/clock.ts';
import { resetModes, TerminalModes } from './terminal-modes.ts';

const interrupt = 0x03;
/** What a terminal line prints for Ctrl-C. */
const echo = Buffer.from('^C');
/** Output of this many bytes within {@link rateMs} is more than anyone reads. */
export const floodBytes = 256 * 1024;
export const rateMs = 500;
/** A program that reads its keys itself has no echo: no more than this is left out for it, */
export const skipBytes = 64 * 1024 * 1024;
export const skipMs = 5_000;
/** and nothing after its flood has paused this long, of which only looks count between which nothing came: */
export const pauseMs = 500;
const lookMs = 50;
/** what came last is shown then, this much of it in bytes, for it may be an answer. */
export const keptBytes = 4 * 1024;

/**
 * Leaves out the flood that Ctrl-C has ended, as the line of a local terminal does: what is still on its way, in
 * buffers of several servers, is of no use to who wanted it to stop, and would stand before the answer. Begins only
 * in a flood of lines, never with a full-screen program, and ends where the line shows its ^C.
 */
export class InterruptSkip implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly #onLate: (bytes: Buffer) => void;
  readonly #modes = new TerminalModes();
  #rateSince = 0;
  #rateBytes = 0;
  #flooding = false;
  #latest = 0;
  #left = 0;
  #until = 0;
  #tail: Buffer = Buffer.alloc(0);
  #kept: Buffer = Buffer.alloc(0);
  #came = false;
  #quietMs = 0;
  #look: Disposable | undefined;

  /** `onLate` is given what was left out at first and is to be shown after all. */
  constructor(clock: Pick<Clock, 'monotonic' | 'timer'>, onLate: (bytes: Buffer) => void) {
    this.#clock = clock;
    this.#onLate = onLate;
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
    this.#tail = Buffer.alloc(0);
    this.#kept = Buffer.alloc(0);
    this.#came = true;
    this.#quietMs = 0;
    this.#look ??= this.#lookSoon();
    return true;
  }

  /** What of the output is shown. */
  onOutput(bytes: Buffer): Buffer {
    const now = this.#clock.monotonic();
    this.#latest = now;
    this.#came = true;
    this.#count(bytes.length, now);
    this.#modes.skip(bytes);
    if (this.#left <= 0) return bytes;
    // The two letters may come apart.
    const joined = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    const at = joined.indexOf(echo);
    this.#left -= bytes.length;
    const over = this.#left <= 0 || now > this.#until || this.#modes.fullScreen;
    if (at < 0 && !over) {
      // Most pieces do not end with the first of them.
      this.#tail = joined.at(-1) === echo[0] ? joined.subarray(-1) : Buffer.alloc(0);
      this.#keep(bytes);
      return Buffer.alloc(0);
    }
    return this.#end(at < 0 ? bytes : joined.subarray(at));
  }

  /** There is no more output: hands over what may be an answer. */
  finish(): void {
    if (this.#left > 0) this.#onLate(this.#end(lastLines(this.#kept)));
  }

  [Symbol.dispose](): void {
    this.#left = 0;
    this.#look?.[Symbol.dispose]();
    this.#look = undefined;
  }

  /** Ends a sequence that was torn, and brings the screen into the modes that what was left out has switched. */
  #end(shown: Buffer): Buffer {
    this[Symbol.dispose]();
    this.#kept = Buffer.alloc(0);
    return Buffer.concat([Buffer.from(`\x18${resetModes}${this.#modes.prefix()}\r\n`), shown]);
  }

  #keep(bytes: Buffer): void {
    this.#kept =
      bytes.length >= keptBytes
        ? bytes.subarray(-keptBytes)
        : Buffer.concat([this.#kept, bytes]).subarray(-keptBytes);
  }

  /** A process that had no turn for long would take its own pause for one of the flood: so in small steps. */
  #lookSoon(): Disposable {
    return this.#clock.timer(lookMs, () => {
      this.#quietMs = this.#came ? 0 : this.#quietMs + lookMs;
      this.#came = false;
      this.#look = this.#lookSoon();
      if (this.#quietMs >= pauseMs) this.finish();
    });
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

/** Without the line that is torn at its beginning. */
function lastLines(bytes: Buffer): Buffer {
  return bytes.length < keptBytes ? bytes : bytes.subarray(bytes.indexOf(0x0a) + 1);
}
