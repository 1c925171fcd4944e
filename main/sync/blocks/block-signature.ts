import { crc32 } from 'node:zlib';
import type { FileEntry } from '../change.ts';

/** Files up to this size travel whole; of larger ones only what changed. */
export const wholeFileBytes = 8 * 1024 * 1024;
/** Bytes of a block's beginning that the rolling hash covers, as many as it has bits. */
export const windowBytes = 32;
export const blockBounds = { least: 16 * 1024, most: 1024 * 1024 } as const;
/** Bounds a signature to 2 MiB. */
export const blocksLimit = 262_144;
const bytesPerBlock = 8;
/** Blocks of a large file. */
const wantedBlocks = 16_384;

/**
 * What a file consists of: per block of equal length (the last one may be shorter) the rolling hash of its first bytes
 * and its CRC-32, eight bytes little-endian. It only tells what need not travel; digests of whole files decide what
 * lands. The helper makes the same from the same file.
 */
export interface BlockSignature {
  /** The file that was read. */
  readonly entry: FileEntry;
  readonly blockBytes: number;
  readonly blocks: Uint8Array;
}

/** What bytes count as in the rolling hash. */
export const gear: Int32Array = (() => {
  const table = new Int32Array(256);
  let state = 0;
  for (let index = 0; index < table.length; index++) {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    table[index] = mixed ^ (mixed >>> 16);
  }
  return table;
})();

export function blockBytesFor(size: number): number {
  let length: number = blockBounds.least;
  while (length < blockBounds.most && Math.floor(size / length) > wantedBlocks) length *= 2;
  return length;
}

/** Describes a file that is read piece by piece, each of a whole number of blocks but the last one. */
export class SignatureMaker {
  readonly blockBytes: number;
  readonly #blocks: Buffer;
  #count = 0;

  constructor(size: number) {
    this.blockBytes = blockBytesFor(size);
    this.#blocks = Buffer.alloc(Math.ceil(size / this.blockBytes) * bytesPerBlock);
  }

  /** A file with more blocks is sent whole. */
  static describes(size: number): boolean {
    return Math.ceil(size / blockBytesFor(size)) <= blocksLimit;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; at += this.blockBytes) {
      const block = piece.subarray(at, at + this.blockBytes);
      this.#blocks.writeInt32LE(anchorOf(block), this.#count);
      this.#blocks.writeUInt32LE(crc32(block), this.#count + 4);
      this.#count += bytesPerBlock;
    }
  }

  finish(entry: FileEntry): BlockSignature {
    return { entry, blockBytes: this.blockBytes, blocks: this.#blocks.subarray(0, this.#count) };
  }
}

/** Whether a signature that another machine made can be one of a file of its size. */
export function isSignature({ entry, blockBytes, blocks }: BlockSignature): boolean {
  const { least, most } = blockBounds;
  if (!(blockBytes >= least && blockBytes <= most) || (blockBytes & (blockBytes - 1)) !== 0) return false;
  const count = Math.ceil(entry.size / blockBytes);
  return count <= blocksLimit && blocks.length === count * bytesPerBlock;
}

function anchorOf(block: Uint8Array): number {
  if (block.length < windowBytes) return 0;
  let hash = 0;
  for (let index = 0; index < windowBytes; index++) hash = ((hash << 1) + (gear[block[index] ?? 0] ?? 0)) | 0;
  return hash;
}

/** The beginnings and checksums of a signature, ready for searching. */
export class BlockIndex {
  readonly blockBytes: number;
  readonly count: number;
  readonly #size: number;
  readonly #checksums: Uint32Array;
  /** By rolling hash, the first whole block that begins so. */
  readonly #first = new Map<number, number>();
  /** The next whole block with the same beginning; -1: none. */
  readonly #next: Int32Array;
  /** A bit for each upper half of a rolling hash that occurs. */
  readonly #filter = new Uint8Array(1 << 13);

  /** `signature` has been checked by {@link isSignature}. */
  constructor({ entry, blockBytes, blocks }: BlockSignature) {
    this.blockBytes = blockBytes;
    this.#size = entry.size;
    this.count = blocks.length / bytesPerBlock;
    const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength);
    this.#checksums = new Uint32Array(this.count);
    this.#next = new Int32Array(this.count).fill(-1);
    for (let block = 0; block < this.count; block++)
      this.#checksums[block] = view.getUint32(block * bytesPerBlock + 4, true);
    // From the end, so that the first of several like blocks is found first.
    for (let block = Math.floor(entry.size / blockBytes) - 1; block >= 0; block--) {
      const hash = view.getInt32(block * bytesPerBlock, true);
      const following = this.#first.get(hash);
      if (following !== undefined) {
        const alike = this.#checksums[following] === this.#checksums[block];
        this.#next[block] = (alike ? this.#next[following] : following) ?? -1;
      }
      this.#first.set(hash, block);
      const bit = (hash >>> 16) & 7;
      this.#filter[hash >>> 19] = (this.#filter[hash >>> 19] ?? 0) | (1 << bit);
    }
  }

  lengthOf(block: number): number {
    return Math.min(this.blockBytes, this.#size - block * this.blockBytes);
  }

  is(block: number, content: Uint8Array): boolean {
    return crc32(content) === this.#checksums[block];
  }

  /** A bit per upper half of a hash that some block begins with: `filter[hash >>> 19]`, bit `(hash >>> 16) & 7`. */
  get filter(): Uint8Array {
    return this.#filter;
  }

  begins(hash: number): boolean {
    return this.#first.has(hash);
  }

  /** A whole block with this beginning and content; undefined: none. */
  find(hash: number, content: Uint8Array): number | undefined {
    const checksum = crc32(content);
    let block = this.#first.get(hash) ?? -1;
    for (let tries = 0; tries < alikeLimit && block >= 0; tries++) {
      if (this.#checksums[block] === checksum) return block;
      block = this.#next[block] ?? -1;
    }
    return undefined;
  }
}

/** Blocks with the same beginning that are compared. */
const alikeLimit = 64;
