import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Dirent } from 'node:fs';
import type { FolderEntry } from '../../contract/app.ts';
import { SlipwayError } from '../base/errors.ts';

/** Folders that one answer has; whoever has more types a path. */
export const maximumFolders = 1000;
/** Looked at at the same time. */
const atOnce = 32;

/** Files by which a folder is known as a project. */
const projectMarks = [
  'devspace.yaml',
  'package.json',
  'go.mod',
  'pyproject.toml',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'composer.json',
  'Gemfile',
  'Dockerfile',
  '.git',
];

export interface FolderListing {
  readonly path: string;
  readonly parent?: string | undefined;
  readonly entries: readonly FolderEntry[];
  readonly truncated: boolean;
}

/**
 * The folders below one, with what marks them as projects. A relative path starts at `home`. Rejects with
 * `sync.local-path-missing` or `sync.local-path-unreadable`.
 */
export async function listFolders(
  path: string,
  { home, signal }: { readonly home: string; readonly signal: AbortSignal },
): Promise<FolderListing> {
  const folder = resolve(home, path === '~' || path.startsWith('~/') ? join('.', path.slice(1)) : path);
  const found = await readFolder(folder);
  const candidates = found
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const entries: FolderEntry[] = [];
  let next = 0;
  const looked = candidates.slice(0, maximumFolders);
  while (next < looked.length) {
    signal.throwIfAborted();
    const part = looked.slice(next, next + atOnce);
    next += part.length;
    for (const entry of await Promise.all(part.map((each) => describe(folder, each))))
      if (entry !== undefined) entries.push(entry);
  }
  const parent = dirname(folder);
  return {
    path: folder,
    ...(parent === folder ? {} : { parent }),
    entries,
    truncated: candidates.length > maximumFolders,
  };
}

/** Undefined for a link that leads to no folder. */
async function describe(folder: string, { name }: Dirent): Promise<FolderEntry | undefined> {
  const path = join(folder, name);
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory() !== true) return undefined;
  const marks = await Promise.all(
    projectMarks.map(async (mark) => ((await stat(join(path, mark)).catch(() => undefined)) ? [mark] : [])),
  );
  return { name, hidden: name.startsWith('.'), marks: marks.flat() };
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new SlipwayError({
      code: missing ? 'sync.local-path-missing' : 'sync.local-path-unreadable',
      message: missing ? `There is no folder ${folder}.` : `The folder ${folder} cannot be read.`,
      next: missing ? 'Choose a folder above it.' : 'Choose another folder, or change who may read it.',
      origin: error,
    });
  }
}
