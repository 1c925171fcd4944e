import type { pageSize as sizeOfPage, TreeEntry } from '../../../contract/sessions.ts';

/** Contract code stays out of the window's bundle; the compiler compares the number. */
export const pageSize: typeof sizeOfPage = 500;

/** What is known of one folder: how many entries it has, and those pages of them that were asked for. */
export interface TreeFolder {
  readonly total: number;
  readonly pages: ReadonlyMap<number, readonly TreeEntry[]>;
  readonly error?: string | undefined;
}

export interface TreeRow {
  /** Path of the folder that the row is in; '' is the root. */
  readonly folder: string;
  readonly index: number;
  readonly depth: number;
}

export function entryOf(folder: TreeFolder | undefined, index: number): TreeEntry | undefined {
  return folder?.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
}

export function childPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Rows that a tree may have: more open folders than that cannot be scrolled through. */
const mostRows = 500_000;

/** Every row of the tree, also of entries that are not known yet, so that the scroll bar tells the truth. */
export function treeRows(
  folders: ReadonlyMap<string, TreeFolder>,
  open: ReadonlySet<string>,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (path: string, depth: number): void => {
    const folder = folders.get(path);
    if (folder === undefined) return;
    for (let index = 0; index < folder.total && rows.length < mostRows; index++) {
      rows.push({ folder: path, index, depth });
      const entry = entryOf(folder, index);
      if (entry?.kind !== 'directory') continue;
      const child = childPath(path, entry.name);
      if (open.has(child)) add(child, depth + 1);
    }
  };
  add('', 0);
  return rows;
}
