import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathVerdicts } from './dependencies.ts';

/** Files of a folder within the rules. */
export interface LocalScan {
  /** Sizes in bytes by relative path with slashes; links have none. */
  readonly files: ReadonlyMap<string, number>;
  /** Entries that rules left out; a folder counts once. */
  readonly excluded: number;
  /** Folders and files that could not be read. */
  readonly unreadable: number;
  /** There are more entries than the bound. */
  readonly cut: boolean;
}

/** Entries of one folder tree that are looked at. */
export const maximumEntries = 200_000;
/** Files that are looked at together. */
const together = 64;

/**
 * Walks a folder without following links and without keeping the event loop. Rejects with the signal's reason when
 * it is aborted.
 */
export async function scanLocal(
  root: string,
  rules: PathVerdicts,
  signal: AbortSignal,
  bound = maximumEntries,
): Promise<LocalScan> {
  const files = new Map<string, number>();
  const counts = { excluded: 0, unreadable: 0, seen: 0 };
  const folders = [''];
  let waiting: Promise<void>[] = [];
  const measure = async (path: string): Promise<void> => {
    try {
      const found = await lstat(join(root, path));
      if (found.isFile() || found.isSymbolicLink()) files.set(path, found.isFile() ? found.size : 0);
    } catch {
      counts.unreadable += 1;
    }
  };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entry of await opendir(join(root, folder))) {
        signal.throwIfAborted();
        counts.seen += 1;
        if (counts.seen > bound) {
          await Promise.all(waiting);
          return { files, excluded: counts.excluded, unreadable: counts.unreadable, cut: true };
        }
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (rules.excluded(path, entry.isDirectory())) counts.excluded += 1;
        else if (entry.isDirectory()) folders.push(path);
        else waiting.push(measure(path));
        if (waiting.length >= together) {
          await Promise.all(waiting);
          waiting = [];
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error) || !('code' in error)) throw error;
      counts.unreadable += 1;
    }
  }
  await Promise.all(waiting);
  return { files, excluded: counts.excluded, unreadable: counts.unreadable, cut: false };
}
