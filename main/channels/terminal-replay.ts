import { TerminalModes } from './terminal-modes.ts';

/** How much of a shell's latest output a window gets when it attaches, in bytes. */
export const replayBytes = 256 * 1024;
/** Output is kept in blocks of this size, however small the pieces are that it comes in. */
const blockBytes = 16 * 1024;

/** The latest output of a shell. Holds {@link replayBytes} and at most one block more. */
export class TerminalReplay {
  readonly #limit: number;
  readonly #blockBytes: number;
  /** Full ones, oldest first. */
  readonly #blocks: Buffer[] = [];
  /** The modes at the beginning of the oldest block. */
  readonly #modes = new TerminalModes();
  #last: Buffer;
  #filled = 0;

  constructor(limit = replayBytes) {
    this.#limit = limit;
    this.#blockBytes = Math.min(blockBytes, limit);
    this.#last = Buffer.alloc(this.#blockBytes);
  }

  push(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + this.#last.length - this.#filled);
      this.#last.set(piece, this.#filled);
      this.#filled += piece.length;
      start += piece.length;
      if (this.#filled === this.#last.length) this.#closeBlock();
    }
  }

  /** The latest output, beginning where no sequence and no character is torn, in the modes that held there. */
  snapshot(): Buffer {
    const all = Buffer.concat([...this.#blocks, this.#last.subarray(0, this.#filled)]);
    const over = Math.max(0, all.length - this.#limit);
    const modes = this.#modes.copy();
    modes.skip(all.subarray(0, over));
    const rest = all.subarray(over);
    const boundary = modes.skipToBoundary(rest);
    return Buffer.concat([Buffer.from(modes.prefix()), rest.subarray(boundary)]);
  }

  #closeBlock(): void {
    this.#blocks.push(this.#last);
    const kept = this.#blocks.length * this.#blockBytes;
    const oldest = kept - this.#blockBytes >= this.#limit ? this.#blocks.shift() : undefined;
    if (oldest !== undefined) this.#modes.skip(oldest);
    this.#last = oldest ?? Buffer.alloc(this.#blockBytes);
    this.#filled = 0;
  }
}
