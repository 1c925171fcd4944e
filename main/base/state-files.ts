import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { SlipwayError } from './errors.ts';

/**
 * The few file operations that the app's own state needs (settings, ledgers, ancestors), as a parameter.
 * The synced tree is not reached through this: sync has endpoints of its own. Rejects with `disk.full` or
 * `disk.state-unusable`.
 */
export interface StateFiles {
  /** Whole content, or undefined when there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** Replaces the file atomically (temporary name, fsync, rename), creating private folders (0700) and files (0600). */
  write(path: string, content: Uint8Array | string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Names in a folder, empty when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
}

export const diskStateFiles: StateFiles = {
  read: (path) =>
    onStateDisk(path, async () => {
      try {
        return await readFile(path);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    }),
  write: (path, content) =>
    onStateDisk(path, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        const handle = await open(temporary, 'wx', 0o600);
        try {
          await handle.writeFile(content);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    }),
  remove: (path) => onStateDisk(path, () => rm(path, { force: true })),
  list: (folder) =>
    onStateDisk(folder, async () => {
      try {
        return (await readdir(folder)).filter((name) => !name.endsWith('.tmp'));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    }),
};

/** Runs what touches the app's own state; what the system refuses there is the user's to mend, and no bug of ours. */
export async function onStateDisk<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new SlipwayError({
      code: full ? 'disk.full' : 'disk.state-unusable',
      message: full ? `There is no space left for ${path}.` : `Slipway cannot use its own file ${path}.`,
      next: full
        ? 'Free some space, or set SLIPWAY_HOME to a folder on another disk.'
        : 'Give yourself the right to read and write there, or set SLIPWAY_HOME to another folder.',
      origin: error,
    });
  }
}

/** Makes a private file (0600) with a content; false when there is one of that name already. */
export function createStateFile(path: string, content: string): Promise<boolean> {
  return onStateDisk(path, async () => {
    try {
      const handle = await open(path, 'wx', 0o600);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
