import { createHash, randomBytes } from 'node:crypto';
import type { Hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import type { Change } from '../change.ts';
import { sameStat } from '../compare.ts';
import { isCoarse, isRacy } from '../racy.ts';
import type { ApplyOutcome } from '../endpoint.ts';
import type { Entry } from '../entry.ts';
import type { TrashReason } from '../trash.ts';
import { isBase } from '../blocks/patch-bases.ts';
import type { FolderHandle, RootHandle } from './beneath-root.ts';
import { entryAt, fileOfStat, hashFile, openForReading } from './disk-entry.ts';
import type { DiskTrash } from './disk-trash.ts';
import { isSystemError, wordsOf } from './scan-disk.ts';
import { readFully } from './sign-file.ts';

type Put = Extract<Change, { kind: 'put' }>;

/** Does one step that needs no content. Everything that the system refuses becomes an outcome. */
export function applyStep(root: RootHandle, trash: DiskTrash, change: Exclude<Change, Put>): ApplyOutcome {
  return guarded(() =>
    root.within(change.path, (folder, name): ApplyOutcome => {
      const target = folder.at(name);
      const now = entryAt(target);
      if (!isExpected(target, now, change.expected)) return { kind: 'mismatch', now };
      return doStep(root, trash, change, target, now);
    }),
  );
}

function doStep(
  root: RootHandle,
  trash: DiskTrash,
  change: Exclude<Change, Put>,
  target: string,
  now: Entry | undefined,
): ApplyOutcome {
  switch (change.kind) {
    case 'directory':
      mkdirSync(target, { mode: change.mode });
      chmodSync(target, change.mode);
      return applied(entryAt(target));
    case 'symlink':
      symlinkSync(change.target, target);
      return applied(entryAt(target));
    case 'chmod':
      if (now?.kind !== 'file' && now?.kind !== 'directory') return { kind: 'mismatch', now };
      changeMode(target, change.mode);
      return applied(keepDigest(entryAt(target), change.expected));
    case 'delete':
      if (now?.kind === 'directory') return removeFolder(target);
      if (now?.kind === 'file') trash.keepFile(target, change.path, now, reasonOf(change));
      unlinkSync(target);
      return applied(undefined);
    case 'rename':
      return renameFile(root, change, now);
  }
}

function removeFolder(target: string): ApplyOutcome {
  try {
    rmdirSync(target);
    return applied(undefined);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return { kind: 'not-empty' };
    throw error;
  }
}

/** By descriptor, so that a link put there meanwhile is not followed. */
function changeMode(target: string, mode: number): void {
  const descriptor = openSync(
    target,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}

/** A new name for the same file; never over something else. */
function renameFile(
  root: RootHandle,
  change: Extract<Change, { kind: 'rename' }>,
  now: Entry | undefined,
): ApplyOutcome {
  const slash = change.path.lastIndexOf('/');
  const name = change.path.slice(slash + 1);
  const holding = `.slipway-${randomBytes(6).toString('hex')}.tmp`;
  // Two folders cannot be held at once by the handle: the file waits under a private name in its own folder.
  const source = root.folder(slash < 0 ? '' : change.path.slice(0, slash)).at(name);
  const expectedInode = now?.kind === 'file' ? now.inode : undefined;
  return withSecondFolder(root, change.to, (folder, toName) => {
    const to = folder.at(toName);
    const there = entryAt(to);
    const caseOnly =
      there?.kind === 'file' && there.inode === expectedInode && name.toLowerCase() === toName.toLowerCase();
    if (there !== undefined && !caseOnly) return { kind: 'mismatch', now };
    if (caseOnly) {
      renameSync(source, folder.at(holding));
      renameSync(folder.at(holding), to);
    } else moveWithoutReplacing(source, to);
    const entry = entryAt(to);
    if (entry?.kind === 'file' && (entry.mode & 0o777) !== change.mode) changeMode(to, change.mode);
    return applied(keepDigest(entryAt(to), change.expected));
  });
}

function withSecondFolder<T>(
  root: RootHandle,
  path: string,
  use: (folder: FolderHandle, name: string) => T,
): T {
  const second = root.reopen();
  try {
    return second.within(path, use);
  } finally {
    second[Symbol.dispose]();
  }
}

function moveWithoutReplacing(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EPERM' && code !== 'EMLINK' && code !== 'ENOTSUP') throw error;
    renameSync(from, to);
    return;
  }
  unlinkSync(from);
}

/** Bytes that are copied at once. */
const copyBytes = 512 * 1024;

/** What was to be copied is not there (any more): the file has to come whole. */
export class CopyError extends Error {}

/** Receives the content of one file beside its place and puts it there whole, or not at all. */
export class FileWriter {
  readonly #root: RootHandle;
  readonly #trash: DiskTrash;
  readonly #change: Put;
  readonly #temporary = `.slipway-${randomBytes(8).toString('hex')}.tmp`;
  readonly #hash: Hash = createHash('sha256');
  #descriptor: number | undefined;
  /** Nothing has the temporary name any more. */
  #placed = false;
  /** The file that is replaced, for the parts of it that the new one has. */
  #base: number | undefined;
  #buffers: readonly [Buffer, Buffer] | undefined;
  #size = 0;
  /** That were sent: of a file that came by its changes, only those. */
  #bytes = 0;

  /** Throws as the system does. */
  constructor(root: RootHandle, trash: DiskTrash, change: Put) {
    this.#root = root;
    this.#trash = trash;
    this.#change = change;
    this.#inFolder((folder) => {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
      this.#descriptor = openSync(folder.at(this.#temporary), flags, 0o600);
    });
  }

  write(data: Uint8Array): void {
    if (this.#descriptor === undefined) throw new Error('The file is finished');
    this.#hash.update(data);
    for (let offset = 0; offset < data.length;)
      offset += writeSync(this.#descriptor, data, offset, data.length - offset, this.#size + offset);
    this.#bytes += data.length;
    this.#size += data.length;
  }

  /** The next bytes are these of the file that is replaced, which has to be the one that was expected. */
  async copy(from: number, length: number): Promise<void> {
    const { expected, path } = this.#change;
    if (this.#descriptor === undefined) throw new Error('The file is finished');
    if (expected?.kind !== 'file' || from + length > expected.size) throw new CopyError();
    if (this.#base === undefined) {
      this.#base = this.#root.within(path, (folder, name) => openForReading(folder.at(name)));
      if (this.#base === undefined) throw new CopyError();
      if (!isBase(fileOfStat(fstatSync(this.#base, { bigint: true })), expected)) throw new CopyError();
    }
    await this.#copyRange(this.#descriptor, this.#base, from, length);
  }

  /** Writes one piece while it is hashed; waits for what was begun, however it ends. */
  async #copyRange(into: number, base: number, from: number, length: number): Promise<void> {
    this.#buffers ??= [Buffer.allocUnsafe(copyBytes), Buffer.allocUnsafe(copyBytes)];
    let writing: Promise<void> = Promise.resolve();
    let [reading, other] = this.#buffers;
    try {
      for (let done = 0; done < length;) {
        const wanted = Math.min(copyBytes, length - done);
        const count = await readFully(base, reading, wanted, from + done);
        if (count !== wanted) throw new CopyError();
        await writing;
        const data = reading.subarray(0, count);
        writing = writeFully(into, data, this.#size);
        // Whoever awaits it below sees its failure.
        writing.catch(() => undefined);
        this.#hash.update(data);
        this.#size += count;
        done += count;
        [reading, other] = [other, reading];
      }
    } finally {
      await writing;
    }
  }

  /** `digest` is what the sender says that it sent; another one here means that something was lost on the way. */
  finish(digest: string, mtimeNs: bigint): ApplyOutcome {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) throw new Error('The file is finished');
    const own = this.#hash.digest('hex');
    if (own !== digest) {
      this.discard();
      return { kind: 'refused', message: 'The content does not have the digest that it was sent with' };
    }
    return guarded(() => {
      try {
        fchmodSync(descriptor, this.#change.mode);
        const seconds = Number(mtimeNs) / 1e9;
        futimesSync(descriptor, seconds, seconds);
        return this.#place(descriptor, own);
      } finally {
        this.discard();
      }
    });
  }

  discard(): void {
    if (this.#base !== undefined) closeSync(this.#base);
    this.#base = undefined;
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    if (this.#placed) return;
    try {
      this.#inFolder((folder) => unlinkSync(folder.at(this.#temporary)));
    } catch {
      // Its folder is gone with it.
    }
  }

  #place(descriptor: number, digest: string): ApplyOutcome {
    return this.#root.within(this.#change.path, (folder, name): ApplyOutcome => {
      const { expected } = this.#change;
      const target = folder.at(name);
      const temporary = folder.at(this.#temporary);
      const now = entryAt(target);
      if (!isExpected(target, now, expected)) return { kind: 'mismatch', now };
      const finished = (inPlace: boolean): ApplyOutcome => {
        const entry = lstatSync(target, { bigint: true });
        return { kind: 'applied', now: { ...fileOfStat(entry), digest }, inPlace, bytes: this.#bytes };
      };
      if (now === undefined) {
        moveWithoutReplacing(temporary, target);
        this.#placed = true;
        return finished(false);
      }
      if (now.kind === 'file') this.#trash.keepFile(target, this.#change.path, now, reasonOf(this.#change));
      try {
        renameSync(temporary, target);
        this.#placed = true;
        return finished(false);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code !== 'EBUSY' && code !== 'EXDEV') throw error;
        copyInPlace(descriptor, temporary, target);
        return finished(true);
      }
    });
  }

  #inFolder(use: (folder: FolderHandle) => void): void {
    this.#root.within(this.#change.path, (folder) => use(folder));
  }
}

async function writeFully(descriptor: number, data: Buffer, position: number): Promise<void> {
  for (let offset = 0; offset < data.length;) {
    offset += await new Promise<number>((resolve, reject) => {
      write(descriptor, data, offset, data.length - offset, position + offset, (error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });
  }
}

/** For a target that cannot be renamed over, such as a mounted single file. */
function copyInPlace(written: number, temporary: string, target: string): void {
  const from = openForReading(temporary);
  const to = openSync(target, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (from === undefined) throw new Error('The temporary file is gone');
    const size = fstatSync(written).size;
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (let offset = 0; offset < size;) {
      const count = readSync(from, buffer, 0, buffer.length, offset);
      if (count === 0) break;
      writeSync(to, buffer, 0, count, offset);
      offset += count;
    }
    ftruncateSync(to, size);
  } finally {
    if (from !== undefined) closeSync(from);
    closeSync(to);
  }
}

/** Whether what is at `target` is what the change was decided for: by stat, or by digest where only the times differ. */
export function isExpected(target: string, now: Entry | undefined, expected: Entry | undefined): boolean {
  if (now === undefined || expected === undefined) return now === expected;
  switch (expected.kind) {
    case 'directory':
      return now.kind === 'directory';
    case 'symlink':
      return now.kind === 'symlink' && now.target === expected.target;
    case 'other':
      return false;
    case 'file': {
      if (now.kind !== 'file' || now.size !== expected.size) return false;
      // Where times are whole seconds, another write within one of them does not show: then the content has to tell.
      const hidden = isCoarse(now) && expected.digest !== undefined && isRacy(now, Date.now());
      if (sameStat(now, expected) && !hidden) return true;
      return expected.digest !== undefined && hashFile(target)?.entry.digest === expected.digest;
    }
  }
}

function keepDigest(now: Entry | undefined, before: Entry | undefined): Entry | undefined {
  if (now?.kind !== 'file' || before?.kind !== 'file' || now.size !== before.size) return now;
  return { ...now, digest: before.digest };
}

function applied(now: Entry | undefined): ApplyOutcome {
  return { kind: 'applied', now, inPlace: false, bytes: 0 };
}

function reasonOf(change: Change): TrashReason {
  if (change.why === 'settled') return 'conflict';
  if (change.why === 'first-sync') return 'first-sync';
  return change.kind === 'delete' ? 'deleted' : 'overwritten';
}

function guarded(action: () => ApplyOutcome): ApplyOutcome {
  try {
    return action();
  } catch (error) {
    return failureOf(error);
  }
}

/** An error of the system as an outcome; a bug stays an error. */
export function failureOf(error: unknown): ApplyOutcome {
  if (!isSystemError(error)) throw error;
  const { code } = error;
  if (code === 'EEXIST' || code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP')
    return { kind: 'mismatch', now: undefined };
  return { kind: 'failed', code, message: wordsOf(error) };
}
