import type { BatchItem } from '../helper/connection.ts';
import type { Operation, Piece } from '../helper/gen/slipway/helper/v1/helper.ts';
import type { Batcher } from './batcher.ts';
import type { Change } from './change.ts';
import type { FilePart } from './endpoint.ts';
import { entryToWire } from './wire-entry.ts';

/** Bytes that one slice of a patch makes in the container: so long an edit waits there behind it, a few milliseconds. */
const patchedBytes = 8 * 1024 * 1024;
/** As on the helper's side. */
const piecesLimit = 4096;

type Put = Extract<Change, { kind: 'put' }>;

export interface SendFileOptions {
  readonly change: Put;
  readonly content: AsyncIterator<FilePart>;
  readonly batcher: Batcher;
  /** Names the file among those that are on their way. */
  readonly staging: string;
  /** Bytes of content in one slice, as the link is now. */
  readonly sliceBytes: () => number;
}

/**
 * Sends one file in slices; the last one, which makes it visible, only once the whole was read. Returns early when the
 * helper gave the file up; the caller ends the reading then.
 */
export async function sendFile(options: SendFileOptions): Promise<void> {
  const { change, content, batcher } = options;
  const slices = new Slices(options);
  for (;;) {
    const next = await content.next();
    if (next.done === true)
      return batcher.settle(change, { kind: 'source-changed', reason: 'gone', message: 'No content' });
    const part = next.value;
    switch (part.kind) {
      case 'begin':
        slices.begin(part);
        break;
      case 'data':
        await slices.addData(part.data);
        break;
      case 'copy':
        await slices.addCopy(part.from, part.length);
        break;
      case 'end': {
        const { error } = part;
        if (error === undefined) return slices.finish(part.digest);
        await slices.drop();
        return batcher.settle(change, { kind: 'source-changed', reason: error.kind, message: error.message });
      }
    }
    if (slices.isUseless) return undefined;
  }
}

/** The slice that is being gathered, and how many bytes of the file went before it. */
class Slices {
  readonly #options: SendFileOptions;
  #mtimeNs: bigint;
  #size: number;
  #onBase = false;
  #offset = 0;
  #pieces: Piece[] = [];
  #body: Uint8Array[] = [];
  #bodyBytes = 0;
  #covered = 0;
  /** Bytes of content that travelled. */
  #sent = 0;

  constructor(options: SendFileOptions) {
    this.#options = options;
    ({ mtimeNs: this.#mtimeNs, size: this.#size } = options.change.source);
  }

  /** It was sent in several slices, and one of them was refused. */
  get isUseless(): boolean {
    return this.#offset > 0 && this.#options.batcher.isSettled(this.#options.change);
  }

  begin(part: Extract<FilePart, { kind: 'begin' }>): void {
    if (part.entry.kind === 'file') ({ mtimeNs: this.#mtimeNs, size: this.#size } = part.entry);
    this.#onBase = part.onBase === true;
  }

  async addData(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length;) {
      const sliceBytes = Math.max(1, this.#options.sliceBytes());
      if (this.#bodyBytes >= sliceBytes) await this.#send(false, '');
      const taken = data.subarray(at, at + sliceBytes - this.#bodyBytes);
      await this.#addPiece(taken.length, undefined);
      this.#body.push(taken);
      this.#bodyBytes += taken.length;
      this.#sent += taken.length;
      at += taken.length;
    }
  }

  async addCopy(from: number, length: number): Promise<void> {
    for (let done = 0; done < length;) {
      const taken = Math.min(length - done, patchedBytes);
      await this.#addPiece(taken, from + done);
      done += taken;
    }
  }

  finish(digest: string): Promise<void> {
    return this.#send(true, digest);
  }

  /** A slice that does not follow makes the helper drop what it has of the file. */
  async drop(): Promise<void> {
    if (this.#offset === 0) return;
    this.#clear();
    this.#offset = 0;
    await this.#send(false, '');
  }

  /** Makes room for a piece of so many bytes and counts it in. */
  async #addPiece(length: number, from: number | undefined): Promise<void> {
    if (this.#onBase && (this.#covered + length > patchedBytes || this.#pieces.length >= piecesLimit))
      await this.#send(false, '');
    this.#covered += length;
    if (!this.#onBase) return;
    const last = this.#pieces.at(-1);
    if (last !== undefined && from === undefined && !last.copied) last.length += BigInt(length);
    else this.#pieces.push({ length: BigInt(length), copied: from !== undefined, from: BigInt(from ?? 0) });
  }

  async #send(final: boolean, digest: string): Promise<void> {
    const { batcher, change } = this.#options;
    const bytes = final ? this.#sent : 0;
    const item: BatchItem = { operation: this.#operation(final, digest), body: this.#joined() };
    this.#offset += this.#covered;
    this.#clear();
    await batcher.add(item, change, final, bytes);
    // The container begins with the first ones while the rest is being read.
    if (this.#onBase) await batcher.flush();
  }

  #operation(final: boolean, digest: string): Operation {
    const { change, staging } = this.#options;
    const put = {
      staging,
      offset: BigInt(this.#offset),
      final,
      size: BigInt(this.#size),
      digest: Buffer.from(digest, 'hex'),
      mode: change.mode,
      mtimeNs: this.#mtimeNs,
    };
    return {
      path: change.path,
      expected: entryToWire(change.expected),
      action: this.#onBase
        ? { $case: 'patch', value: { put, pieces: this.#pieces } }
        : { $case: 'put', value: put },
    };
  }

  #joined(): Uint8Array {
    const [only] = this.#body;
    return this.#body.length === 1 && only !== undefined ? only : Buffer.concat(this.#body);
  }

  #clear(): void {
    this.#pieces = [];
    this.#body = [];
    this.#bodyBytes = 0;
    this.#covered = 0;
  }
}
