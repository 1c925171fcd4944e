import { closeSync, fstatSync, read } from 'node:fs';
import { SignatureMaker, type BlockSignature } from '../blocks/block-signature.ts';
import { sameStat } from '../compare.ts';
import type { RootHandle } from './beneath-root.ts';
import { fileOfStat, openForReading } from './disk-entry.ts';
import { isSystemError } from './scan-disk.ts';

/** A whole number of blocks of any length. */
const pieceBytes = 1024 * 1024;

/** Describes a file of the laptop; undefined when it is gone, cannot be read, is too large or changed meanwhile. */
export async function signFile(
  root: RootHandle,
  path: string,
  signal?: AbortSignal,
): Promise<BlockSignature | undefined> {
  let descriptor: number | undefined;
  try {
    descriptor = root.within(path, (folder, name) => openForReading(folder.at(name)));
    root.release();
    if (descriptor === undefined) return undefined;
    const before = fileOfStat(fstatSync(descriptor, { bigint: true }));
    if (!SignatureMaker.describes(before.size)) return undefined;
    const maker = new SignatureMaker(before.size);
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, before.size));
    for (let at = 0; at < before.size;) {
      signal?.throwIfAborted();
      const count = await readFully(descriptor, buffer, Math.min(buffer.length, before.size - at), at);
      maker.add(buffer.subarray(0, count));
      at += count;
      if (count < buffer.length && at < before.size) return undefined;
    }
    const after = fileOfStat(fstatSync(descriptor, { bigint: true }));
    return sameStat(before, after) ? maker.finish(before) : undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads `length` bytes into the beginning of a buffer; fewer only at the end of the file. Does not block. */
export async function readFully(
  descriptor: number,
  buffer: Buffer,
  length: number,
  position: number,
): Promise<number> {
  let total = 0;
  while (total < length) {
    const count = await readAt(descriptor, buffer, total, length - total, position + total);
    if (count === 0) break;
    total += count;
  }
  return total;
}

function readAt(
  descriptor: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, offset, length, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
