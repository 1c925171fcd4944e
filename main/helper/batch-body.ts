import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BatchItem } from './connection.ts';
import { Compression, type Operation } from './gen/slipway/helper/v1/helper.ts';

const compress = promisify(gzip);

export interface BatchBody {
  readonly bytes: Buffer;
  readonly compression: Compression;
  readonly sha256: Buffer;
  /** Before compression. */
  readonly packed: number;
}

/** Packs the bodies of a batch's puts and patches as a tar whose entry names are the operations' indexes. */
export async function packBody(items: readonly BatchItem[], level: number): Promise<BatchBody> {
  const plain = tarOf(items);
  const smaller = level > 0 && plain.length > 0 ? await compress(plain, { level }) : plain;
  const useful = smaller.length < plain.length;
  const bytes = useful ? smaller : plain;
  return {
    bytes,
    compression: useful ? Compression.COMPRESSION_GZIP : Compression.COMPRESSION_UNSPECIFIED,
    sha256: createHash('sha256').update(bytes).digest(),
    packed: plain.length,
  };
}

const blockBytes = 512;

/** In one piece and at once, since a batch is small and its files are many; empty where there is no body. */
function tarOf(items: readonly BatchItem[]): Buffer {
  let length = 0;
  for (const { operation, body } of items)
    if (hasBody(operation)) length += blockBytes + padded(body?.length ?? 0);
  if (length === 0) return Buffer.alloc(0);
  // Two blocks of zeros end it.
  const tar = Buffer.allocUnsafeSlow(length + 2 * blockBytes);
  let at = 0;
  for (const [index, { operation, body }] of items.entries()) {
    if (!hasBody(operation)) continue;
    const size = body?.length ?? 0;
    writeHeader(tar.subarray(at, at + blockBytes), index, size);
    at += blockBytes;
    if (body !== undefined) tar.set(body, at);
    tar.fill(0, at + size, at + padded(size));
    at += padded(size);
  }
  tar.fill(0, at);
  return tar;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

/** What all headers have in common: a regular file, nobody's, of 1970, in the form of POSIX. */
const blank = Buffer.alloc(blockBytes);
blank.write('0000644', 100);
blank.write('0000000', 108);
blank.write('0000000', 116);
blank.write('00000000000', 136);
blank.write('        ', 148);
blank.write('0', 156);
blank.write('ustar\x0000', 257);
const blankSum = blank.reduce((sum, byte) => sum + byte, 0);

function writeHeader(header: Buffer, index: number, size: number): void {
  const name = String(index);
  const length = size.toString(8).padStart(11, '0');
  blank.copy(header);
  header.write(name, 0, 'latin1');
  header.write(length, 124, 'latin1');
  const sum = blankSum + sumOf(name) + sumOf(length);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

function sumOf(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) sum += digits.charCodeAt(index);
  return sum;
}

function hasBody({ action }: Operation): boolean {
  return action?.$case === 'put' || action?.$case === 'patch';
}
