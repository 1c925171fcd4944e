import { pageSize, type HeldEntry, type HeldPath, type HeldSum } from '../../contract/sessions.ts';
import type { OutputOf } from '../../contract/api.ts';
import type { Entry } from '../sync/entry.ts';
import type { PathKnowledge } from '../sync/file-state.ts';

/** One page of the paths of held work that hold a text, with what each side has there, and the sums over all of them. */
export function heldPage(
  held:
    { readonly paths: readonly string[]; readonly view: { know(path: string): PathKnowledge } } | undefined,
  { offset, search }: { readonly offset: number; readonly search: string },
): OutputOf<'sessions.heldPaths'> {
  if (held === undefined) return { paths: [], total: 0 };
  const wanted = search.trim().toLowerCase();
  const found = wanted === '' ? held.paths : held.paths.filter((path) => path.toLowerCase().includes(wanted));
  const paths = found.slice(offset, offset + pageSize);
  const laptop = { count: 0, bytes: 0 };
  const container = { count: 0, bytes: 0 };
  for (const path of held.paths) {
    const { local, remote } = held.view.know(path);
    count(laptop, local);
    count(container, remote);
  }
  const entries = paths.map((path): HeldPath => {
    const { local, remote } = held.view.know(path);
    return { path, ...shown('laptop', local), ...shown('container', remote) };
  });
  return { paths, total: found.length, entries, laptop, container };
}

function count(sum: { -readonly [Key in keyof HeldSum]: number }, entry: Entry | undefined): void {
  if (entry === undefined) return;
  sum.count++;
  if (entry.kind === 'file') sum.bytes += entry.size;
}

function shown(side: 'laptop' | 'container', entry: Entry | undefined): Partial<HeldPath> {
  if (entry === undefined) return {};
  const { kind } = entry;
  const value: HeldEntry = kind === 'file' ? { kind, size: entry.size } : { kind };
  return { [side]: value };
}
