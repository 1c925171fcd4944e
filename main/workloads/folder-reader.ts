import { constants } from 'node:fs';
import { open, opendir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { SlipwayError } from '../base/errors.ts';

export interface FolderItem {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
}

/** Reads a little of one folder. Nothing outside of it is ever read, whatever links say, and nothing is executed. */
export interface FolderReader {
  /** Resolved path of the folder. */
  readonly path: string;
  /** The first items of a folder below it; empty when it cannot be read. */
  list(path: string): Promise<readonly FolderItem[]>;
  /** Text of a regular file below it, cut at the bound; undefined when it is not there or lies elsewhere. */
  read(path: string): Promise<string | undefined>;
}

/** Items of one folder that are looked at. */
const maximumItems = 2_000;
/** Bytes of one file that are read. */
const maximumBytes = 256 * 1024;

/** Opens a folder of this machine. Rejects with `sync.local-path-…` when there is none that can be read. */
export async function openFolder(path: string): Promise<FolderReader> {
  const root = await rootOf(path);
  const within = async (below: string): Promise<string | undefined> => {
    try {
      const real = await realpath(join(root, below));
      return isWithin(root, real) ? real : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    path: root,
    async list(below) {
      const folder = await within(below);
      return folder === undefined ? [] : listItems(folder);
    },
    async read(below) {
      const file = await within(below);
      return file === undefined ? undefined : readStart(file);
    },
  };
}

/** Whether a resolved path is the folder or lies below it. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function rootOf(path: string): Promise<string> {
  if (!isAbsolute(path)) {
    // Where the app was started means nothing to who looks at its window.
    throw new SlipwayError({
      code: 'sync.local-path-missing',
      message: `${path} does not say where to begin.`,
      cause: 'A folder is named from the root.',
      next: 'Choose the folder, or write its whole path.',
    });
  }
  try {
    const root = await realpath(path);
    if ((await stat(root)).isDirectory()) {
      // Told now and not as an empty folder later.
      await (await opendir(root)).close();
      return root;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new SlipwayError({
      code: missing ? 'sync.local-path-missing' : 'sync.local-path-unreadable',
      message: missing ? `There is no folder ${path}.` : `The folder ${path} cannot be read.`,
      cause:
        code === 'EACCES' || code === 'EPERM' ? 'You may not read it.' : `The system says ${code ?? 'no'}.`,
      next: 'Choose another folder.',
      origin: error,
    });
  }
  throw new SlipwayError({
    code: 'sync.local-path-missing',
    message: `${path} is not a folder.`,
    cause: 'It is a file or something else.',
    next: 'Choose the folder that holds it.',
  });
}

async function listItems(folder: string): Promise<readonly FolderItem[]> {
  const items: FolderItem[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other';
      items.push({ name: entry.name, kind });
      if (items.length >= maximumItems) break;
    }
  } catch {
    return items;
  }
  return items;
}

async function readStart(file: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    await using handle = await open(file, flags);
    if (!(await handle.stat()).isFile()) return undefined;
    const buffer = Buffer.alloc(maximumBytes);
    const { bytesRead } = await handle.read(buffer, 0, maximumBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
}
