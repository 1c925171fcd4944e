import type { TrashedVersion } from '../sync/trash.ts';

/** Versions that go at most this far apart went together. */
const togetherMs = 2000;

/** Of versions of one pair by their id: the name of the batch they went in, and how many it has. Versions that went alone are left out. */
export function batchesOf(
  versions: readonly TrashedVersion[],
): ReadonlyMap<string, { readonly batch: string; readonly count: number }> {
  const batches = new Map<string, { readonly batch: string; readonly count: number }>();
  const byReason = new Map<string, TrashedVersion[]>();
  const close = (group: readonly TrashedVersion[]): void => {
    const [first] = group;
    if (first === undefined || group.length < 2) return;
    const found = { batch: `${first.reason}-${first.origin}-${first.id}`, count: group.length };
    for (const { id } of group) batches.set(id, found);
  };
  for (const version of [...versions].sort((a, b) => a.trashedAt - b.trashedAt)) {
    const key = `${version.reason} ${version.origin}`;
    const group = byReason.get(key);
    if (group !== undefined && version.trashedAt - (group.at(-1)?.trashedAt ?? 0) <= togetherMs)
      group.push(version);
    else {
      close(group ?? []);
      byReason.set(key, [version]);
    }
  }
  for (const group of byReason.values()) close(group);
  return batches;
}
