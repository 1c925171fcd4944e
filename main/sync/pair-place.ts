import { realpath, stat } from 'node:fs/promises';
import { SlipwayError } from '../base/errors.ts';
import type { PairIdentity } from './pair.ts';

/** Where a pair is on the laptop. */
export interface PairPlace {
  /** Resolved path that the user named. */
  readonly path: string;
  readonly folder: string;
  /** Set for a pair of two single files. */
  readonly localName: string | undefined;
}

/** Throws `sync.local-path-…` for what is no folder and no file. */
export async function placeOf(identity: PairIdentity): Promise<PairPlace> {
  try {
    const path = await realpath(identity.localPath);
    const found = await stat(path);
    if (found.isDirectory()) return { path, folder: path, localName: undefined };
    if (found.isFile()) return { path, folder: folderOf(path), localName: nameOf(path) };
    throw Object.assign(new Error('It is neither a folder nor a file'), { code: 'ENOTDIR' });
  } catch (error) {
    // ENOTDIR of the system: something on the way there is a file. Ours has no system call.
    const { code, syscall } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || (code === 'ENOTDIR' && syscall !== undefined);
    throw new SlipwayError({
      code: missing ? 'sync.local-path-missing' : 'sync.local-path-unreadable',
      message: `The local path ${identity.localPath} ${missing ? 'does not exist' : 'cannot be used'}`,
      ...(missing ? { cause: 'Nothing is there, or a part of the way there is no folder.' } : {}),
      next: missing ? 'Create it, or name another one.' : 'Name a folder or a file that you may read.',
      origin: error,
    });
  }
}

export function folderOf(path: string): string {
  const slash = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return slash <= 0 ? path.slice(0, 1) : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
