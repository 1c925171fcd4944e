import type { Change } from './change.ts';
import { ancestorsOf } from './tree.ts';

/** Paths whose change is under way. Nothing else is decided about them, or about folders around them, meanwhile. */
export class PathLocks {
  readonly #paths = new Set<string>();
  /** Folders with locked paths somewhere below, with how many. */
  readonly #folders = new Map<string, number>();

  get size(): number {
    return this.#paths.size;
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    for (const folder of ancestorsOf(path)) this.#folders.set(folder, (this.#folders.get(folder) ?? 0) + 1);
  }

  delete(path: string): void {
    if (!this.#paths.delete(path)) return;
    for (const folder of ancestorsOf(path)) {
      const count = (this.#folders.get(folder) ?? 1) - 1;
      if (count === 0) this.#folders.delete(folder);
      else this.#folders.set(folder, count);
    }
  }

  /** Whether something is under way at the path, above it, or (for a folder that goes) below it. */
  blocks(path: string, includingBelow: boolean): boolean {
    if (this.#paths.size === 0) return false;
    if (this.#paths.has(path) || (includingBelow && this.#folders.has(path))) return true;
    for (const folder of ancestorsOf(path)) if (this.#paths.has(folder)) return true;
    return false;
  }
}

/** Every path that a step touches. */
export function pathsOf(change: Change): readonly string[] {
  return change.kind === 'rename' ? [change.path, change.to] : [change.path];
}

/** How many steps of a plan still touch each path: a rename and what replaces it share one. */
export class PathUsers {
  readonly #counts = new Map<string, number>();

  constructor(changes: Iterable<Change>) {
    for (const change of changes)
      for (const path of pathsOf(change)) this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
  }

  /** A step that touched the path is over; true when it was the last one. */
  leave(path: string): boolean {
    const left = (this.#counts.get(path) ?? 1) - 1;
    if (left > 0) this.#counts.set(path, left);
    else this.#counts.delete(path);
    return left <= 0;
  }
}

/**
 * Splits off the steps that have to wait: those that `blocked` names, steps below a folder whose making waits, and
 * the removal of folders that a waiting step still needs.
 */
export function splitWaiting(
  changes: readonly Change[],
  blocked: (change: Change) => boolean,
): { readonly ready: readonly Change[]; readonly waiting: readonly Change[] } {
  const ready: Change[] = [];
  const waiting: Change[] = [];
  const paths = new Set<string>();
  const folders = new Set<string>();
  const needsFolderGone = (change: Change): boolean =>
    change.kind === 'delete' && change.expected?.kind === 'directory';
  for (const change of changes) {
    const touched = pathsOf(change);
    const waits =
      (paths.size > 0 && touched.some((path) => isAtOrBelow(path, paths))) ||
      (needsFolderGone(change) && folders.has(change.path)) ||
      blocked(change);
    if (!waits) {
      ready.push(change);
      continue;
    }
    waiting.push(change);
    for (const path of touched) {
      paths.add(path);
      for (const folder of ancestorsOf(path)) folders.add(folder);
    }
  }
  return { ready, waiting };
}

function isAtOrBelow(path: string, paths: ReadonlySet<string>): boolean {
  if (paths.has(path)) return true;
  for (const folder of ancestorsOf(path)) if (paths.has(folder)) return true;
  return false;
}
