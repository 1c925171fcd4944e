import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './content.ts';
import { helperFolders } from './helpers.ts';

/** Hashes of every old version that the laptop's trash of any pair holds. */
export function localTrash(home: string): Set<string> {
  return hashesBelow(join(home, 'sync'), (path) => /\/trash\/[^/]+$/.test(path) && !path.endsWith('.json'));
}

/** Hashes of every old version in the trash that helpers keep in a container. */
export function containerTrash(root: string): Set<string> {
  const found = new Set<string>();
  for (const folder of helperFolders(root)) {
    for (const hash of hashesBelow(folder, (path) => path.includes('/trash-'))) found.add(hash);
  }
  return found;
}

function hashesBelow(folder: string, counts: (path: string) => boolean): Set<string> {
  const found = new Set<string>();
  let entries: string[] = [];
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return found;
  }
  for (const path of entries.filter(counts)) {
    try {
      found.add(sha256(readFileSync(path)));
    } catch {
      // Crowded out while we looked.
    }
  }
  return found;
}
