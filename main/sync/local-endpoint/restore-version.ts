import { randomBytes } from 'node:crypto';
import { chmodSync, constants, copyFileSync, linkSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { SlipwayError } from '../../base/errors.ts';
import { pathProblem } from '../paths.ts';
import { ancestorsOf } from '../tree.ts';
import type { TrashedVersion } from '../trash.ts';
import { RootHandle } from './beneath-root.ts';
import { entryAt } from './disk-entry.ts';
import type { DiskTrash } from './disk-trash.ts';

/**
 * Puts a version from the trash back into the folder it came from: written beside its place and renamed, never
 * through a link. What is there now goes to the trash first. Resolves with the path.
 */
export async function restoreVersion(root: string, trash: DiskTrash, id: string): Promise<string> {
  const place = trash.placeOf(id);
  const version = place === undefined ? undefined : await trash.find(id);
  if (place === undefined || version === undefined) throw gone();
  const { path } = version;
  const problem = pathProblem(path);
  if (problem !== undefined) throw refused(path, `${problem}.`);
  const temporary = `.slipway-${randomBytes(8).toString('hex')}.tmp`;
  try {
    using handle = new RootHandle(root);
    makeFolders(handle, path);
    await handle.within(path, async (folder, name) => {
      const written = folder.at(temporary);
      try {
        await copyFile(place, written, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        chmodSync(written, version.mode & 0o777);
        putInPlace(trash, version, written, folder.at(name));
      } finally {
        removeQuietly(written);
      }
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof SlipwayError) throw error;
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw refused(path, 'A part of its path is a file or a link now.');
    throw refused(path, error instanceof Error ? error.message : code, error);
  }
  return path;
}

function putInPlace(trash: DiskTrash, version: TrashedVersion, written: string, target: string): void {
  const now = entryAt(target);
  if (now === undefined) {
    // Not over something that came up this very moment.
    try {
      linkSync(written, target);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error;
      copyFileSync(written, target, constants.COPYFILE_EXCL);
    }
    return;
  }
  if (now.kind !== 'file')
    throw refused(version.path, `There is a ${nameOfKind[now.kind]} of this name now.`);
  trash.keepAnyway(target, version.path, now, 'overwritten');
  renameSync(written, target);
}

const nameOfKind = { directory: 'folder', symlink: 'link', other: 'special file' } as const;

/** Each part is made where it is missing and entered without following a link. */
function makeFolders(handle: RootHandle, path: string): void {
  for (const folder of ancestorsOf(path)) {
    handle.within(folder, (parent, name) => {
      if (entryAt(parent.at(name)) === undefined) mkdirSync(parent.at(name), { mode: 0o777 });
    });
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was renamed into place, or its folder is gone with it.
  }
}

function gone(): SlipwayError {
  return new SlipwayError({
    code: 'sync.path-refused',
    message: 'This version is not in the trash any more.',
    cause: 'It was too old, or made room for others.',
    next: 'Look at the list again.',
  });
}

function refused(path: string, cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'sync.path-refused',
    message: `${path} was not restored.`,
    cause,
    next: 'Move what is in its place away, then restore it again. Nothing was changed.',
    origin,
  });
}
