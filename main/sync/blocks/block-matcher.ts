import type { BlockIndex } from './block-signature.ts';
import { gear, windowBytes } from './block-signature.ts';

/** Bytes of a new version in order: a range of the base, or content that is not in it. */
export type BlockPart =
  | { readonly kind: 'copy'; readonly from: number; readonly length: number }
  | { readonly kind: 'data'; readonly data: Buffer };

/** Bytes that are read at once. */
const readBytes = 512 * 1024;
/** Copies that follow each other in the base are one, up to this length. */
const copyLimit = 8 * 1024 * 1024;
/** Bytes of candidates that turned out to be something else, at least, before nothing is searched for any more. */
const missesAtLeast = 64 * 1024 * 1024;

/**
 * Goes once through a new version of a file and tells it as parts of the base and new content. While both run
 * alongside, one CRC per block is all the work; else the rolling hash looks for where a block of the base begins.
 * Holds two blocks and a bit, whatever the size of the file.
 *
 * Use: read into `room`, say `filled(count)` (which gives the parts that are certain), and `finish()` at the end.
 */
export class BlockMatcher {
  readonly #base: BlockIndex;
  readonly #buffer: Buffer;
  /** [data, start) is in no block, [start, end) is to be looked at. */
  #data = 0;
  #start = 0;
  #end = 0;
  /** The block that should come next; undefined while it is searched for. */
  #expected: number | undefined = 0;
  #budget: number;
  #copyFrom = 0;
  #copyLength = 0;
  #parts: BlockPart[] = [];

  /** `size` of the new version in bytes. */
  constructor(base: BlockIndex, size: number) {
    this.#base = base;
    this.#budget = Math.max(missesAtLeast, size);
    this.#buffer = Buffer.allocUnsafe(2 * base.blockBytes + 2 * readBytes);
  }

  /** Where the next bytes of the file are to be put. Valid until the next call. */
  get room(): Buffer {
    if (this.#end + readBytes > this.#buffer.length) {
      this.#flushData();
      this.#buffer.copy(this.#buffer, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#data = this.#start = 0;
    }
    return this.#buffer.subarray(this.#end, this.#end + readBytes);
  }

  filled(count: number): readonly BlockPart[] {
    this.#end += count;
    this.#step(false);
    this.#flushData();
    return this.#take();
  }

  finish(): readonly BlockPart[] {
    this.#step(true);
    this.#flushData();
    this.#flushCopy();
    return this.#take();
  }

  #take(): readonly BlockPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #step(whole: boolean): void {
    while (this.#start < this.#end) {
      const enough = this.#expected === undefined ? this.#search(whole) : this.#follow(this.#expected, whole);
      if (!enough) return;
    }
  }

  /** Takes the block that comes next in the base, or steps over one that was changed without a shift. */
  #follow(expected: number, whole: boolean): boolean {
    const base = this.#base;
    const available = this.#end - this.#start;
    this.#expected = undefined;
    if (expected >= base.count) return true;
    this.#expected = expected;
    const length = base.lengthOf(expected);
    if (available < length && !whole) return false;
    if (available >= length && this.#is(expected, this.#start)) {
      this.#found(expected);
      return true;
    }
    const following = expected + 1;
    if (following < base.count) {
      const reach = base.blockBytes + base.lengthOf(following);
      if (available < reach && !whole) return false;
      if (available >= reach && this.#is(following, this.#start + base.blockBytes)) {
        this.#start += base.blockBytes;
        this.#expected = following;
        return true;
      }
    }
    this.#expected = undefined;
    return true;
  }

  #is(block: number, at: number): boolean {
    return this.#base.is(block, this.#buffer.subarray(at, at + this.#base.lengthOf(block)));
  }

  /** Rolls on to the next place at which a whole block of the base begins. */
  #search(whole: boolean): boolean {
    const length = this.#base.blockBytes;
    const last = this.#end - length;
    if (last < this.#start || this.#budget <= 0) {
      if (whole || this.#budget <= 0) this.#start = this.#end;
      return false;
    }
    const at = this.#roll(last);
    this.#start = at;
    return true;
  }

  /** The place of a block that was found and taken, or the first one that was not looked at. */
  #roll(last: number): number {
    const [buffer, base] = [this.#buffer, this.#base];
    const { filter, blockBytes } = base;
    let hash = 0;
    for (let index = 0; index < windowBytes - 1; index++)
      hash = ((hash << 1) + (gear[buffer[this.#start + index] ?? 0] ?? 0)) | 0;
    for (let at = this.#start; at <= last; at++) {
      hash = ((hash << 1) + (gear[buffer[at + windowBytes - 1] ?? 0] ?? 0)) | 0;
      if (((filter[hash >>> 19] ?? 0) & (1 << ((hash >>> 16) & 7))) === 0 || !base.begins(hash)) continue;
      const block = base.find(hash, buffer.subarray(at, at + blockBytes));
      if (block !== undefined) {
        this.#start = at;
        this.#found(block);
        return this.#start;
      }
      this.#budget -= blockBytes;
      if (this.#budget <= 0) break;
    }
    return last + 1;
  }

  #found(block: number): void {
    this.#flushData();
    const length = this.#base.lengthOf(block);
    const from = block * this.#base.blockBytes;
    if (this.#copyFrom + this.#copyLength !== from || this.#copyLength + length > copyLimit) {
      this.#flushCopy();
      this.#copyFrom = from;
    }
    this.#copyLength += length;
    this.#start += length;
    this.#data = this.#start;
    this.#expected = block + 1;
  }

  #flushCopy(): void {
    if (this.#copyLength === 0) return;
    this.#parts.push({ kind: 'copy', from: this.#copyFrom, length: this.#copyLength });
    this.#copyLength = 0;
  }

  #flushData(): void {
    if (this.#data === this.#start) return;
    this.#flushCopy();
    this.#parts.push({ kind: 'data', data: Buffer.from(this.#buffer.subarray(this.#data, this.#start)) });
    this.#data = this.#start;
  }
}
