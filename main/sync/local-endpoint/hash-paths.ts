import type { Entry, Problem } from '../entry.ts';
import type { RootHandle } from './beneath-root.ts';
import { entryAt, hashFile } from './disk-entry.ts';
import { wordsOf } from './scan-disk.ts';

/** Looks at paths and hashes the files among them; a file that is being written has no digest in the answer. */
export function hashPaths(
  root: RootHandle,
  paths: readonly string[],
  take: (path: string, entry: Entry | undefined) => void,
  problem: (problem: Problem) => void,
): void {
  for (const path of paths) {
    try {
      take(path, lookAt(root, path, true));
    } catch (error) {
      problem({ path, message: wordsOf(error) });
    }
  }
  root.release();
}

/** What is at a path below the root; undefined also when a part of the path is missing or no folder. */
export function lookAt(root: RootHandle, path: string, digest: boolean): Entry | undefined {
  try {
    return root.within(path, (folder, name) => {
      const entry = entryAt(folder.at(name));
      return digest && entry?.kind === 'file' ? (hashFile(folder.at(name))?.entry ?? entry) : entry;
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
