import { readFileSync } from 'node:fs';
import type { Entry } from './entry.ts';
import type { TreeView } from './tree.ts';
import { ancestorsOf } from './tree.ts';

export interface ConsentList {
  /** Folded names that match at any depth. */
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** Reads the list of what executes on the laptop; `more` extends it. */
export function loadConsentList(more: readonly string[] = []): ConsentList {
  const text = readFileSync(new URL('execution-consent.json', import.meta.url), 'utf8');
  const { anywhere, prefixes } = JSON.parse(text) as { anywhere: string[]; prefixes: string[] };
  return {
    names: new Set([...anywhere, ...more].map(foldAlias)),
    prefixes: prefixes.map(foldAlias),
  };
}

/**
 * Whether something that comes from the container is what programs on the laptop would execute. A gitfile counts as
 * `.git`; so does everything in a folder shaped like a bare repository, which git trusts by its shape: there an empty
 * folder may be the last piece, so folders count as well.
 */
export function needsConsent(path: string, entry: Entry, list: ConsentList, remote: TreeView): boolean {
  const [first = '', ...more] = path.split('/');
  if (entry.kind !== 'directory') {
    for (const part of [first, ...more]) {
      const name = foldAlias(part);
      if (list.names.has(name) || list.prefixes.some((prefix) => name.startsWith(prefix))) return true;
    }
  }
  for (const folder of ancestorsOf(path)) if (isBareRepository(folder, remote)) return true;
  return bareShape.includes(first) && isBareRepository('', remote);
}

/** What a folder holds that git takes for a repository. */
const bareShape = ['HEAD', 'objects', 'refs'];

function isBareRepository(folder: string, tree: TreeView): boolean {
  return bareShape.every((name) => tree.get(folder === '' ? name : `${folder}/${name}`) !== undefined);
}

/** Characters that HFS+ ignores in names, so that `.g\u200cit` opens `.git`. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The name that the laptop's file system may take a name for: case, NTFS streams and short names, trailing dots. */
function foldAlias(name: string): string {
  const folded = name
    .replace(ignoredByHfs, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '');
  return /^git~[0-9]+$/.test(folded) ? '.git' : folded;
}
