import type { BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readlinkSync } from 'node:fs';
import type { FileEntry } from '../change.ts';
import { sameStat } from '../compare.ts';
import type { Entry } from '../entry.ts';

/** What is at a path, or undefined for nothing. Links are not followed. */
export function entryAt(path: string): Entry | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : entryOfStat(stat, path);
}

export function entryOfStat(stat: BigIntStats, path: string): Entry {
  if (stat.isFile()) return fileOfStat(stat);
  if (stat.isDirectory()) return { kind: 'directory', mode: Number(stat.mode) & 0o7777, inode: stat.ino };
  if (stat.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(path) };
  return { kind: 'other', description: describe(stat) };
}

export function fileOfStat(stat: BigIntStats): FileEntry {
  return {
    kind: 'file',
    mode: Number(stat.mode) & 0o7777,
    size: Number(stat.size),
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    inode: stat.ino,
    links: Number(stat.nlink),
  };
}

function describe(stat: BigIntStats): string {
  if (stat.isSocket()) return 'A socket';
  if (stat.isFIFO()) return 'A named pipe';
  return 'A device';
}

const hashChunkBytes = 1024 * 1024;

/** Hashes a file as it is. `whole` is false when it changed while being read. */
export function hashFile(path: string): { readonly entry: FileEntry; readonly whole: boolean } | undefined {
  const descriptor = openForReading(path);
  if (descriptor === undefined) return undefined;
  try {
    const before = fileOfStat(fstatSync(descriptor, { bigint: true }));
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(hashChunkBytes, Math.max(before.size, 1)));
    let total = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, 0, buffer.length, total);
      if (count === 0) break;
      hash.update(buffer.subarray(0, count));
      total += count;
      if (total > before.size) break;
    }
    const after = fileOfStat(fstatSync(descriptor, { bigint: true }));
    const whole = sameStat(before, after) && total === before.size;
    return { entry: { ...after, digest: whole ? hash.digest('hex') : undefined }, whole };
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a regular file without following a link or waiting on a pipe; undefined when there is none. */
export function openForReading(path: string): number | undefined {
  return openFile(path)?.descriptor;
}

/** The same with what the file was when it was opened. */
export function openFile(
  path: string,
): { readonly descriptor: number; readonly before: FileEntry } | undefined {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
  const stat = fstatSync(descriptor, { bigint: true });
  if (stat.isFile()) return { descriptor, before: fileOfStat(stat) };
  closeSync(descriptor);
  return undefined;
}
