import type { FileEntry } from './change.ts';
import type { Entry } from './entry.ts';

/** `unknown`: two files of one size of which at least one has no digest yet. */
export type Equality = 'same' | 'different' | 'unknown';

/** How modes are compared and carried. */
export interface ModePolicy {
  /** Bits that count; 0 where one side has no modes (Windows). */
  readonly mask: number;
  readonly localUmask: number;
  readonly remoteUmask: number;
}

/** Bits that either side's umask takes away never count, or a file would seem changed because it was created. */
export function modePolicy(localUmask: number, remoteUmask: number, localHasModes: boolean): ModePolicy {
  return { mask: localHasModes ? 0o777 & ~localUmask & ~remoteUmask : 0, localUmask, remoteUmask };
}

/** Equal in content and mode; absent equals absent. Times and inodes never count: equality is by digest. */
export function compareEntries(a: Entry | undefined, b: Entry | undefined, mask: number): Equality {
  const content = compareContent(a, b);
  if (content === 'different' || a === undefined || b === undefined) return content;
  return modeOf(a, mask) === modeOf(b, mask) ? content : 'different';
}

/** As {@link compareEntries} but for modes, so that a change of mode alone can be told from one of content. */
export function compareContent(a: Entry | undefined, b: Entry | undefined): Equality {
  if (a === undefined || b === undefined) return a === b ? 'same' : 'different';
  if (a.kind === 'directory') return b.kind === 'directory' ? 'same' : 'different';
  if (a.kind === 'symlink') return b.kind === 'symlink' && a.target === b.target ? 'same' : 'different';
  if (a.kind === 'other') return b.kind === 'other' ? 'same' : 'different';
  if (b.kind !== 'file' || a.size !== b.size) return 'different';
  if (a.digest !== undefined && b.digest !== undefined) return a.digest === b.digest ? 'same' : 'different';
  return 'unknown';
}

/** Whether the file was not touched between two looks at the same side. */
export function sameStat(a: FileEntry, b: FileEntry): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

/**
 * The entry with the digest that an earlier look at the same side found, when the file was not touched since. Where
 * nothing at all is new it is the earlier one itself, so that what is known several times is held once.
 */
export function withKnownDigest(entry: Entry, known: Entry | undefined): Entry {
  if (entry.kind === 'directory') {
    const same = known?.kind === 'directory' && known.mode === entry.mode && known.inode === entry.inode;
    return same ? known : entry;
  }
  if (entry.kind !== 'file' || known?.kind !== 'file' || !sameStat(entry, known)) return entry;
  const digest = entry.digest ?? known.digest;
  if (known.mode === entry.mode && known.links === entry.links && known.digest === digest) return known;
  return digest === entry.digest ? entry : { ...entry, digest };
}

/**
 * Whether a file of the image is as it was when the root was first seen. Layers keep times, so an equal size and
 * time stand for an equal digest where the seed was never hashed.
 */
export function sameAsSeed(entry: Entry | undefined, seed: Entry | undefined): boolean {
  const content = compareContent(entry, seed);
  if (content !== 'unknown') return content === 'same';
  return entry?.kind === 'file' && seed?.kind === 'file' && entry.mtimeNs === seed.mtimeNs;
}

function modeOf(entry: Entry, mask: number): number {
  return entry.kind === 'file' || entry.kind === 'directory' ? entry.mode & mask : 0;
}
