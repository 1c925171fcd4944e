import type { FileEntry } from './change.ts';

const fineMs = 20;
const coarseMs = 2000;

/** Times on a file system that keeps whole seconds only. */
export function isCoarse({ mtimeNs, ctimeNs }: FileEntry): boolean {
  return mtimeNs % 1_000_000_000n === 0n && ctimeNs % 1_000_000_000n === 0n;
}

/** How long after its last change a file's times cannot show another one, in milliseconds. */
export function racyMs(entry: FileEntry): number {
  return isCoarse(entry) ? coarseMs : fineMs;
}

/** git's racy rule: a file read this soon after its last change may have changed again without showing it. */
export function isRacy(entry: FileEntry, nowMs: number): boolean {
  const latest = Number((entry.mtimeNs > entry.ctimeNs ? entry.mtimeNs : entry.ctimeNs) / 1_000_000n);
  return Math.abs(nowMs - latest) < racyMs(entry);
}
