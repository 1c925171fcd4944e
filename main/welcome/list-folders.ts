import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { FolderEntry } from '../../contract/app.ts';
import type { OutputOf } from '../../contract/api.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { SlipwayError } from '../base/errors.ts';
import { folderMarks } from './folder-marks.ts';

type Folders = OutputOf<'app.listFolders'>;

/** More folders are not listed, and `truncated` says so. */
const maximumEntries = 2000;
/** Names that are read of one folder at all, folders or not. */
const maximumRead = 20_000;
/** Names that are read of each folder, to see what marks it. */
const maximumMarkNames = 500;
/** Folders that are looked into for marks; the others are shown without. */
const maximumMarked = 300;
const maximumParallel = 16;

/**
 * The folders below one, by name, for a dialog to choose one from. A link counts as a folder when it leads to one.
 * Nothing is read but names. Rejects with an absolute path's own trouble: gone, no folder, not allowed.
 */
export async function listFolders(
  input: { readonly path: string; readonly homeFolder: string },
  signal?: AbortSignal,
): Promise<Folders> {
  const path = absolutePath(input.path, input.homeFolder);
  const read = await readNames(path, maximumRead, signal).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const folders = await foldersOf(path, read.entries);
  folders.sort(byName);
  const shown = folders.slice(0, maximumEntries);
  const marks = new Map<string, readonly string[]>();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < Math.min(shown.length, maximumMarked); index = next++) {
      signal?.throwIfAborted();
      const name = shown[index] ?? '';
      marks.set(name, await marksOf(join(path, name)));
    }
  };
  await Promise.all(Array.from({ length: maximumParallel }, worker));
  const entries = shown.map((name): FolderEntry => ({
    name,
    hidden: name.startsWith('.'),
    marks: marks.get(name) ?? [],
  }));
  const parent = dirname(path);
  return {
    path,
    ...(parent === path ? {} : { parent }),
    entries,
    truncated: read.truncated || folders.length > shown.length,
  };
}

/** `~` is the home folder, as in a shell; any other path has to be absolute, for the app's own folder means nothing. */
export function absolutePath(path: string, homeFolder: string): string {
  const expanded = path === '~' || /^~[/\\]/.test(path) ? join(homeFolder, path.slice(1)) : path;
  if (isAbsolute(expanded)) return resolve(expanded);
  throw new SlipwayError({
    code: 'sync.local-path-missing',
    message: `${path} does not say where to begin.`,
    cause: 'A folder is named from the root, or from ~ for your own folder.',
    next: `Write it as ${join(homeFolder, path)}, if that is what you mean.`,
  });
}

async function readNames(
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ readonly entries: readonly Dirent[]; readonly truncated: boolean }> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path)) {
    signal?.throwIfAborted();
    if (entries.length >= limit) return { entries, truncated: true };
    entries.push(entry);
  }
  return { entries, truncated: false };
}

async function foldersOf(path: string, entries: readonly Dirent[]): Promise<string[]> {
  const names = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory()) return entry.name;
      if (!entry.isSymbolicLink()) return undefined;
      const target = await stat(join(path, entry.name)).catch(() => undefined);
      return target?.isDirectory() === true ? entry.name : undefined;
    }),
  );
  return names.filter((name) => name !== undefined);
}

/** None where it may not be read: that shows when it is opened. */
async function marksOf(path: string): Promise<readonly string[]> {
  try {
    const { entries } = await readNames(path, maximumMarkNames);
    return folderMarks(new Set(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)));
  } catch {
    return [];
  }
}

/** Hidden ones last; numbers in names by their value. */
function byName(left: string, right: string): number {
  const hidden = Number(left.startsWith('.')) - Number(right.startsWith('.'));
  return hidden !== 0 ? hidden : left.localeCompare(right, 'en', { numeric: true });
}

function unreadable(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const as = (code: ErrorCode, message: string, cause: string, next: string): SlipwayError =>
    new SlipwayError({ code, message, cause, next, origin: error });
  switch (code) {
    case 'ENOENT':
      return as(
        'sync.local-path-missing',
        `There is no folder ${path}.`,
        'Nothing on this machine has that path.',
        'Choose another one, or create it first.',
      );
    case 'ENOTDIR':
      return as(
        'sync.local-path-missing',
        `${path} is not a folder.`,
        'It, or something above it, is a file.',
        'Choose the folder that it is in.',
      );
    case 'EACCES':
    case 'EPERM':
      return as(
        'sync.local-path-unreadable',
        `You may not look into ${path}.`,
        'Its owner does not let you read it.',
        'Choose another folder, or change its permissions.',
      );
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'EIO':
    case 'EMFILE':
    case 'ENFILE':
      return as(
        'sync.local-path-unreadable',
        `${path} cannot be read.`,
        `The system says ${code}.`,
        'Choose another folder.',
      );
    case undefined:
    default:
      return error;
  }
}
