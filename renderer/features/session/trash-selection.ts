import type { TrashEntry } from '../../../contract/sessions.ts';

/** Names a version among all pairs. */
export function versionKey({ pair, id }: Pick<TrashEntry, 'pair' | 'id'>): string {
  return `${pair}.${id}`;
}

/** What is to be restored: chosen versions, or all that went together. */
export type Restoration =
  | { readonly kind: 'versions'; readonly entries: readonly TrashEntry[] }
  | { readonly kind: 'batch'; readonly entry: TrashEntry; readonly batch: string; readonly count: number };

/** Of several chosen versions of one path the one that would be there at the end: the latest. */
export function overtaken(entries: readonly TrashEntry[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { pair, path } of entries) {
    const key = `${pair} ${path}`;
    if (seen.has(key)) twice.add(path);
    seen.add(key);
  }
  return [...twice];
}

/** Oldest first, so that of several versions of a path the latest is the one that stays. */
export function inOrder(entries: readonly TrashEntry[]): readonly TrashEntry[] {
  return [...entries].sort((a, b) => a.trashedAt.localeCompare(b.trashedAt));
}

/** The paths that a restoration is known to touch. */
export function pathsOf(restoration: Restoration, listed: readonly TrashEntry[]): readonly string[] {
  if (restoration.kind === 'versions') return restoration.entries.map(({ path }) => path);
  const { batch, entry } = restoration;
  return listed.filter((each) => each.batch === batch && each.pair === entry.pair).map(({ path }) => path);
}

export function countOf(restoration: Restoration): number {
  return restoration.kind === 'versions' ? restoration.entries.length : restoration.count;
}
