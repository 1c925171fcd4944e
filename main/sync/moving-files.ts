import type { FileEntry } from './change.ts';
import { sameStat } from './compare.ts';

interface MovedFile {
  readonly entry: FileEntry;
  /** Its digest is that of what its times say; false where it may have been written since without showing it. */
  readonly trusted: boolean;
}

interface Batch {
  readonly sizes: ReadonlySet<number>;
  readonly digests: ReadonlySet<string>;
  readonly byInode: ReadonlyMap<bigint, FileEntry>;
}

/** Milliseconds for which what was moved is still waited for when news of its names cannot be taken. */
export const movedLimitMs = 5000;

/**
 * Files of one side whose moves are being carried over. One that moves on meanwhile shows under its next name before
 * the name that it is just being given over there can go: it waits for the end of these moves instead of being sent,
 * and is then moved once more.
 */
export class MovingFiles {
  /** With when its moves were over; undefined while they are under way. */
  readonly #batches = new Map<Batch, number | undefined>();

  get none(): boolean {
    return this.#batches.size === 0;
  }

  /** What it gives is called when the moves are over, with the time (monotonic). */
  begin(files: readonly MovedFile[]): (now: number) => void {
    const trusted = files.filter((file) => file.trusted).map(({ entry }) => entry);
    const batch: Batch = {
      sizes: new Set(files.map(({ entry }) => entry.size)),
      digests: new Set(files.flatMap(({ entry: { digest } }) => (digest === undefined ? [] : [digest]))),
      byInode: new Map(trusted.map((entry) => [entry.inode, entry])),
    };
    if (files.length === 0) return () => undefined;
    this.#batches.set(batch, undefined);
    return (now) => {
      if (this.#batches.get(batch) === undefined) this.#batches.set(batch, now);
    };
  }

  /** Forgets what is over, once no move is under way and `isClear` says that all news of their names was taken. */
  forget(now: number, isClear: () => boolean): void {
    if (this.none) return;
    let busy = false;
    for (const [batch, over] of this.#batches) {
      if (over === undefined) busy = true;
      else if (now - over > movedLimitMs) this.#batches.delete(batch);
    }
    if (!busy && isClear()) this.#batches.clear();
  }

  hasSize(size: number): boolean {
    for (const { sizes } of this.#batches.keys()) if (sizes.has(size)) return true;
    return false;
  }

  has(digest: string | undefined): boolean {
    if (digest === undefined) return false;
    for (const { digests } of this.#batches.keys()) if (digests.has(digest)) return true;
    return false;
  }

  /** The digest of a file that was found elsewhere untouched: its folder was renamed. */
  digestOf(found: FileEntry): string | undefined {
    for (const { byInode } of this.#batches.keys()) {
      const known = byInode.get(found.inode);
      if (known !== undefined && sameStat(known, found)) return known.digest;
    }
    return undefined;
  }
}
