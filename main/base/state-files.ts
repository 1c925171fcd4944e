import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';

/**
 * The few file operations that the app's own state needs (settings, ledgers, ancestors), as a parameter.
 * The synced tree is not reached through this: sync has endpoints of its own.
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
  async read(path) {
    try {
      return await readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async write(path, content) {
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
  },
  async remove(path) {
    await rm(path, { force: true });
  },
  async list(folder) {
    try {
      return (await readdir(folder)).filter((name) => !name.endsWith('.tmp'));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
};

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
