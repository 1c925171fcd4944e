import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, Problem } from '../entry.ts';
import { pathProblem } from '../paths.ts';
import { entryOfStat } from './disk-entry.ts';

export interface ScanRules {
  excluded(path: string, isDirectory: boolean): boolean;
}

export interface DiskScan {
  readonly take: (path: string, entry: Entry) => void;
  readonly problem: (problem: Problem) => void;
}

/**
 * Walks the folder and gives every entry that the rules include, parents first. Links are never followed. What
 * cannot be read is a problem and never looks like an absence. Throws when the root itself cannot be read.
 */
export function scanDisk(root: string, below: string, rules: ScanRules, out: DiskScan): void {
  if (below !== '') {
    const stat = lstatSync(join(root, below), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || rules.excluded(below, stat.isDirectory())) return;
    out.take(below, entryOfStat(stat, join(root, below)));
    if (!stat.isDirectory()) return;
  } else readdirSync(root);
  const folders = [below];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of namesIn(root, folder, out)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const problem = pathProblem(path);
      if (problem !== undefined) {
        out.problem({ path: escapeName(path), message: `Not synced: ${problem}` });
        continue;
      }
      const entry = look(root, path, rules, out);
      if (entry === undefined) continue;
      out.take(path, entry);
      if (entry.kind === 'directory') folders.push(path);
    }
  }
}

function namesIn(root: string, folder: string, out: DiskScan): readonly string[] {
  try {
    return readdirSync(join(root, folder));
  } catch (error) {
    if (folder === '') throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      out.problem({ path: folder, message: wordsOf(error) });
    return [];
  }
}

function look(root: string, path: string, rules: ScanRules, out: DiskScan): Entry | undefined {
  try {
    const full = join(root, path);
    const stat = lstatSync(full, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || rules.excluded(path, stat.isDirectory())) return undefined;
    return entryOfStat(stat, full);
  } catch (error) {
    out.problem({ path, message: wordsOf(error) });
    return undefined;
  }
}

/** Control characters and broken text made visible, for messages. */
export function escapeName(path: string): string {
  return path
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]/g, (character) => JSON.stringify(character).slice(1, -1));
}

/** Whether the system refused something, by a code such as EACCES; anything else that is thrown is a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code));
}

export function wordsOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'operation not permitted',
    ENOSPC: 'no space left on the disk',
    EDQUOT: 'the disk quota is used up',
    EROFS: 'the file system is read-only',
    EIO: 'the disk reported an error',
    ENAMETOOLONG: 'the name is too long',
    EMFILE: 'too many open files',
  };
  if (code !== undefined && words[code] !== undefined) return `${code}: ${words[code]}`;
  return error instanceof Error ? error.message : String(error);
}
