import { crc32 } from 'node:zlib';
import { assertNever } from '../base/errors.ts';
import type { Entry, RootIdentity } from './entry.ts';

/** What is stored beside the trees; small, rewritten whole with each change. */
export interface PairFacts {
  /** The first sync came to its end, so the strategy has no say about what to do any more. */
  readonly initialDone: boolean;
  readonly rulesHash: string;
  readonly localRoot: RootIdentity | undefined;
  readonly remoteRoot: RootIdentity | undefined;
  /** Paths from the container that may be written though they execute on the laptop. */
  readonly approved: readonly string[];
  /** The last one used: a helper that knows it refuses any that is not larger, whatever the clock says by then. */
  readonly epoch: number;
}

export type AncestorRecord =
  | {
      readonly kind: 'agreed';
      readonly path: string;
      readonly local: Entry | undefined;
      readonly remote: Entry | undefined;
    }
  | {
      readonly kind: 'difference';
      readonly path: string;
      readonly local: Entry | undefined;
      readonly remote: Entry | undefined;
    }
  | { readonly kind: 'difference-gone'; readonly path: string }
  | { readonly kind: 'seed'; readonly path: string; readonly entry: Entry }
  | { readonly kind: 'facts'; readonly facts: PairFacts };

const magic = 0x534c5741; // "SLWA"
const version = 1;
const headerBytes = 12;
const chunkHeaderBytes = 8;
const recordKinds = ['agreed', 'difference', 'difference-gone', 'seed', 'facts'] as const;
const entryKinds = ['none', 'file', 'directory', 'symlink'] as const;

/** Begins a file. A journal counts only with the snapshot of the same generation. */
export function encodeHeader(generation: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(magic, 0);
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(generation, 8);
  return header;
}

/** One checksummed group of records: all of them count or none. */
export function encodeChunk(records: Iterable<AncestorRecord>): Buffer {
  const writer = new Writer();
  writer.skip(chunkHeaderBytes);
  for (const record of records) encodeRecord(writer, record);
  const chunk = writer.finish();
  const payload = chunk.subarray(chunkHeaderBytes);
  chunk.writeUInt32BE(payload.length, 0);
  chunk.writeUInt32BE(crc32(payload), 4);
  return chunk;
}

export interface DecodedFile {
  readonly generation: number;
  /** False when the end was torn or damaged: `records` are those before it. */
  readonly whole: boolean;
}

/** Reads a file back, giving each record to `take`; undefined when it is not ours or of a newer version. */
export function decodeFile(content: Buffer, take: (record: AncestorRecord) => void): DecodedFile | undefined {
  if (content.length < headerBytes || content.readUInt32BE(0) !== magic) return undefined;
  if (content.readUInt32BE(4) !== version) return undefined;
  const generation = content.readUInt32BE(8);
  let offset = headerBytes;
  while (offset < content.length) {
    if (content.length - offset < chunkHeaderBytes) return { generation, whole: false };
    const length = content.readUInt32BE(offset);
    const payload = content.subarray(offset + chunkHeaderBytes, offset + chunkHeaderBytes + length);
    if (payload.length !== length || crc32(payload) !== content.readUInt32BE(offset + 4))
      return { generation, whole: false };
    const reader = new Reader(payload);
    while (!reader.done) take(decodeRecord(reader));
    offset += chunkHeaderBytes + length;
  }
  return { generation, whole: true };
}

function encodeRecord(writer: Writer, record: AncestorRecord): void {
  writer.u8(recordKinds.indexOf(record.kind));
  switch (record.kind) {
    case 'agreed':
    case 'difference':
      writer.text(record.path);
      encodeEntry(writer, record.local, undefined);
      encodeEntry(writer, record.remote, digestOf(record.local));
      break;
    case 'difference-gone':
      writer.text(record.path);
      break;
    case 'seed':
      writer.text(record.path);
      encodeEntry(writer, record.entry, undefined);
      break;
    case 'facts':
      writer.text(
        JSON.stringify(record.facts, (_, value: unknown) =>
          typeof value === 'bigint' ? `${value}n` : value,
        ),
      );
      break;
  }
}

function decodeRecord(reader: Reader): AncestorRecord {
  const kind = recordKinds[reader.u8()];
  switch (kind) {
    case 'agreed':
    case 'difference': {
      const path = reader.text();
      const local = decodeEntry(reader, undefined);
      return { kind, path, local, remote: decodeEntry(reader, digestOf(local)) };
    }
    case 'difference-gone':
      return { kind, path: reader.text() };
    case 'seed': {
      const path = reader.text();
      return {
        kind,
        path,
        entry: decodeEntry(reader, undefined) ?? { kind: 'other', description: 'unknown' },
      };
    }
    case 'facts':
      return { kind, facts: decodeFacts(reader.text()) };
    case undefined:
      throw new Error('Unknown record in an ancestor whose checksum is right');
    default:
      return assertNever(kind);
  }
}

function decodeFacts(text: string): PairFacts {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as PairFacts;
}

function digestOf(entry: Entry | undefined): string | undefined {
  return entry?.kind === 'file' ? entry.digest : undefined;
}

const noDigest = 0;
const ownDigest = 1;
const sharedDigest = 2;

function encodeEntry(writer: Writer, entry: Entry | undefined, shared: string | undefined): void {
  const kind = entry === undefined || entry.kind === 'other' ? 'none' : entry.kind;
  writer.u8(entryKinds.indexOf(kind));
  if (entry?.kind === 'file') {
    writer.u16(entry.mode);
    writer.f64(entry.size);
    writer.i64(entry.mtimeNs);
    writer.i64(entry.ctimeNs);
    writer.i64(entry.inode);
    writer.u16(Math.min(entry.links, 0xffff));
    if (entry.digest === undefined) writer.u8(noDigest);
    else if (entry.digest === shared) writer.u8(sharedDigest);
    else {
      writer.u8(ownDigest);
      writer.hex(entry.digest);
    }
  } else if (entry?.kind === 'directory') {
    writer.u16(entry.mode);
    writer.i64(entry.inode);
  } else if (entry?.kind === 'symlink') writer.text(entry.target);
}

function decodeEntry(reader: Reader, shared: string | undefined): Entry | undefined {
  switch (entryKinds[reader.u8()]) {
    case 'file': {
      const mode = reader.u16();
      const size = reader.f64();
      const [mtimeNs, ctimeNs, inode] = [reader.i64(), reader.i64(), reader.i64()];
      const links = reader.u16();
      const form = reader.u8();
      const digest = form === ownDigest ? reader.hex(32) : form === sharedDigest ? shared : undefined;
      return { kind: 'file', mode, size, mtimeNs, ctimeNs, inode, links, digest };
    }
    case 'directory':
      return { kind: 'directory', mode: reader.u16(), inode: reader.i64() };
    case 'symlink':
      return { kind: 'symlink', target: reader.text() };
    default:
      return undefined;
  }
}

class Writer {
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  skip(bytes: number): void {
    this.#reserve(bytes);
    this.#length += bytes;
  }
  u8(value: number): void {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
  }
  u16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16LE(value, this.#length);
  }
  f64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }
  i64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64LE(BigInt.asIntN(64, value), this.#length);
  }
  hex(value: string): void {
    this.#reserve(value.length / 2);
    this.#length += this.#buffer.write(value, this.#length, 'hex');
  }
  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#reserve(4 + bytes);
    this.#length = this.#buffer.writeUInt32LE(bytes, this.#length);
    this.#length += this.#buffer.write(value, this.#length);
  }
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

class Reader {
  #offset = 0;
  readonly #buffer: Buffer;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }
  get done(): boolean {
    return this.#offset >= this.#buffer.length;
  }
  u8(): number {
    return this.#buffer.readUInt8(this.#advance(1));
  }
  u16(): number {
    return this.#buffer.readUInt16LE(this.#advance(2));
  }
  f64(): number {
    return this.#buffer.readDoubleLE(this.#advance(8));
  }
  i64(): bigint {
    return this.#buffer.readBigInt64LE(this.#advance(8));
  }
  hex(bytes: number): string {
    const start = this.#advance(bytes);
    return this.#buffer.toString('hex', start, start + bytes);
  }
  text(): string {
    const bytes = this.#buffer.readUInt32LE(this.#advance(4));
    const start = this.#advance(bytes);
    return this.#buffer.toString('utf8', start, start + bytes);
  }
  #advance(bytes: number): number {
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
