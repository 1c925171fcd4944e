import { createHash, hash as digestOf } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { BlockMatcher } from '../blocks/block-matcher.ts';
import { BlockIndex } from '../blocks/block-signature.ts';
import type { PatchBase } from '../blocks/patch-bases.ts';
import type { FilePart, ReadFiles } from '../endpoint.ts';
import type { FileEntry } from '../change.ts';
import { sameStat } from '../compare.ts';
import type { RootHandle } from './beneath-root.ts';
import { fileOfStat, openFile } from './disk-entry.ts';
import { isSystemError, wordsOf } from './scan-disk.ts';
import { readFully } from './sign-file.ts';

/** A file up to this size is read in one go. */
const wholeFileBytes = 256 * 1024;
const pieceBytes = 512 * 1024;
const slabBytes = 256 * 1024;
/** Milliseconds of reading small files before other work gets its turn. */
const sliceMs = 8;

/**
 * Reads files of the laptop. A file that changes while it is read ends with `changing`, unless the caller accepts
 * what was read; then it is at least one consistent beginning of the file.
 */
export function readerOf(root: RootHandle): ReadFiles {
  return async function* (paths, options = {}) {
    const slab = new Slab();
    let sliceEnd = performance.now() + sliceMs;
    for (const path of paths) {
      options.signal?.throwIfAborted();
      if (performance.now() > sliceEnd) {
        root.release();
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
      const opened = open(root, path);
      if ('kind' in opened) {
        yield opened;
        continue;
      }
      try {
        const accept = options.acceptChanging?.has(path) === true;
        const asked = options.bases?.get(path);
        const base = asked === undefined ? undefined : await asked();
        options.signal?.throwIfAborted();
        // Most files are small: their parts cost less one by one than through another generator.
        if (base === undefined && opened.before.size <= wholeFileBytes) {
          yield { kind: 'begin', path, entry: opened.before };
          const { data, end } = readSmall(opened, path, accept, slab);
          if (data.length > 0) yield { kind: 'data', path, data };
          yield end;
        } else
          yield* base === undefined
            ? readLarge(opened, path, accept)
            : readChanged(opened, path, accept, base);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        yield { kind: 'end', path, digest: '', error: { kind: 'unreadable', message: wordsOf(error) } };
      } finally {
        closeSync(opened.descriptor);
      }
    }
    root.release();
  };
}

interface Opened {
  readonly descriptor: number;
  readonly before: FileEntry;
}

function open(root: RootHandle, path: string): Opened | FilePart {
  const ended = (kind: 'gone' | 'unreadable', message: string): FilePart => ({
    kind: 'end',
    path,
    digest: '',
    error: { kind, message },
  });
  try {
    return (
      root.within(path, (folder, name) => openFile(folder.at(name))) ?? ended('gone', 'The file is gone')
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return ended('gone', 'The file is gone');
    return ended('unreadable', wordsOf(error));
  }
}

/** Room for the contents of many small files at once: a buffer for each would cost more than reading it. */
class Slab {
  #room = Buffer.alloc(0);

  take(bytes: number): Buffer {
    if (this.#room.length < bytes) this.#room = Buffer.allocUnsafeSlow(Math.max(bytes, slabBytes));
    const taken = this.#room.subarray(0, bytes);
    this.#room = this.#room.subarray(bytes);
    return taken;
  }
}

function readSmall(
  { descriptor, before }: Opened,
  path: string,
  accept: boolean,
  slab: Slab,
): { readonly data: Buffer; readonly end: FilePart } {
  const room = slab.take(before.size);
  let total = 0;
  while (total < before.size) {
    const count = readSync(descriptor, room, total, before.size - total, total);
    if (count === 0) break;
    total += count;
  }
  const data = room.subarray(0, total);
  const after = fileOfStat(fstatSync(descriptor, { bigint: true }));
  return { data, end: endOf(path, digestOf('sha256', data, 'hex'), before, after, total, accept) };
}

async function* readLarge(
  { descriptor, before }: Opened,
  path: string,
  accept: boolean,
): AsyncGenerator<FilePart> {
  yield { kind: 'begin', path, entry: before };
  const hash = createHash('sha256');
  let total = 0;
  while (total < before.size) {
    const wanted = Math.min(before.size - total, pieceBytes);
    const buffer = Buffer.allocUnsafe(wanted);
    const count = await readFully(descriptor, buffer, wanted, total);
    if (count === 0) break;
    const data = buffer.subarray(0, count);
    hash.update(data);
    total += count;
    yield { kind: 'data', path, data };
  }
  const after = fileOfStat(fstatSync(descriptor, { bigint: true }));
  yield endOf(path, hash.digest('hex'), before, after, total, accept);
}

/** Reads a file of which the other side has an earlier version: what is in that is only named. */
async function* readChanged(
  { descriptor, before }: Opened,
  path: string,
  accept: boolean,
  { signature, source }: PatchBase,
): AsyncGenerator<FilePart> {
  yield { kind: 'begin', path, entry: before, onBase: true };
  // Should it be another one after all, the other side finds out and it goes again.
  const known = sameStat(before, source) ? source.digest : undefined;
  const hash = createHash('sha256');
  const matcher = new BlockMatcher(new BlockIndex(signature), before.size);
  let total = 0;
  while (total < before.size) {
    const { room } = matcher;
    const count = await readFully(descriptor, room, Math.min(room.length, before.size - total), total);
    if (count === 0) break;
    if (known === undefined) hash.update(room.subarray(0, count));
    total += count;
    for (const part of matcher.filled(count)) yield { ...part, path };
  }
  for (const part of matcher.finish()) yield { ...part, path };
  const after = fileOfStat(fstatSync(descriptor, { bigint: true }));
  yield endOf(path, known ?? hash.digest('hex'), before, after, total, accept);
}

function endOf(
  path: string,
  digest: string,
  before: FileEntry,
  after: FileEntry,
  total: number,
  accept: boolean,
): FilePart {
  if (total === before.size && (accept || sameStat(before, after))) return { kind: 'end', path, digest };
  return { kind: 'end', path, digest: '', error: { kind: 'changing', message: 'The file is being written' } };
}
