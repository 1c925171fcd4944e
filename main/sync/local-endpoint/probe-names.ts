import { lstatSync, opendirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { NameRules } from '../paths.ts';

/** Names in the folder that are tried at most. */
const triedNames = 200;

export interface NameProbe {
  /** Some of the names in a folder. */
  readonly namesIn: (folder: string) => readonly string[];
  /** Which file is at a path; undefined when none is. */
  readonly identity: (path: string) => string | undefined;
}

const diskProbe: NameProbe = {
  namesIn(folder) {
    const directory = opendirSync(folder);
    try {
      const names: string[] = [];
      while (names.length < triedNames) {
        const entry = directory.readSync();
        if (entry === null) break;
        names.push(entry.name);
      }
      return names;
    } finally {
      directory.closeSync();
    }
  },
  identity(path) {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  },
};

/**
 * Which names the file system of a folder takes for one, found out without writing to it: a name that is there is
 * looked up in another spelling. Where no name tells, the platform's usual answer counts.
 */
export function probeNames(
  folder: string,
  platform: NodeJS.Platform,
  probe: NameProbe = diskProbe,
): NameRules {
  const candidates = [...probe.namesIn(folder).map((name) => join(folder, name)), folder];
  const unusual = platform === 'win32' || platform === 'darwin';
  return {
    windows: platform === 'win32',
    caseInsensitive: isSameName(candidates, otherCase, probe) ?? unusual,
    normalising: isSameName(candidates, otherForm, probe) ?? platform === 'darwin',
  };
}

function isSameName(
  paths: readonly string[],
  respell: (name: string) => string,
  probe: NameProbe,
): boolean | undefined {
  for (const path of paths) {
    const name = basename(path);
    const other = respell(name);
    if (other === name) continue;
    const there = probe.identity(path);
    if (there === undefined) continue;
    const found = probe.identity(join(dirname(path), other));
    // Both spellings may be there as names of one file: then another name has to tell.
    if (found === there && paths.includes(join(dirname(path), other))) continue;
    return found === there;
  }
  return undefined;
}

function otherCase(name: string): string {
  const lower = name.toLowerCase();
  return lower === name ? name.toUpperCase() : lower;
}

function otherForm(name: string): string {
  const composed = name.normalize('NFC');
  return composed === name ? name.normalize('NFD') : composed;
}
