import type { Entry } from './entry.ts';

/** A flat map of paths that also knows the children of each folder. Folders need not have an entry themselves. */
export interface TreeView {
  readonly size: number;
  get(path: string): Entry | undefined;
  /** Paths directly below; '' is the root. */
  children(path: string): Iterable<string>;
  hasChildren(path: string): boolean;
  /** Everything below, parents before children. */
  descendants(path: string): Iterable<string>;
  paths(): Iterable<string>;
  entries(): Iterable<[string, Entry]>;
}

/** One side's snapshot or the ancestor, changed in place as things are seen and confirmed; a step costs O(depth). */
export class Tree implements TreeView {
  readonly #entries = new Map<string, Entry>();
  readonly #children = new Map<string, Set<string>>();
  #files = 0;

  constructor(entries: Iterable<readonly [string, Entry]> = []) {
    for (const [path, entry] of entries) this.set(path, entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get files(): number {
    return this.#files;
  }

  /** Whether at most folders are in it. */
  get isHollow(): boolean {
    if (this.#files > 0) return false;
    for (const { kind } of this.#entries.values()) if (kind !== 'directory') return false;
    return true;
  }

  get(path: string): Entry | undefined {
    return this.#entries.get(path);
  }

  set(path: string, entry: Entry | undefined): void {
    if (entry === undefined) return this.delete(path);
    const before = this.#entries.get(path);
    if (before?.kind === 'file') this.#files--;
    if (entry.kind === 'file') this.#files++;
    this.#entries.set(path, entry);
    if (before === undefined) this.#link(path);
  }

  delete(path: string): void {
    const before = this.#entries.get(path);
    if (before === undefined) return;
    if (before.kind === 'file') this.#files--;
    this.#entries.delete(path);
    if (!this.#children.has(path)) this.#unlink(path);
  }

  clear(): void {
    this.#entries.clear();
    this.#children.clear();
    this.#files = 0;
  }

  children(path: string): Iterable<string> {
    return this.#children.get(path) ?? [];
  }

  hasChildren(path: string): boolean {
    return this.#children.has(path);
  }

  *descendants(path: string): Generator<string> {
    for (const child of this.children(path)) {
      if (this.#entries.has(child)) yield child;
      yield* this.descendants(child);
    }
  }

  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  entries(): Iterable<[string, Entry]> {
    return this.#entries.entries();
  }

  #link(path: string): void {
    for (let child = path; ;) {
      const parent = parentOf(child);
      const siblings = this.#children.get(parent);
      if (siblings !== undefined) {
        siblings.add(child);
        return;
      }
      this.#children.set(parent, new Set([child]));
      if (parent === '' || this.#entries.has(parent)) return;
      child = parent;
    }
  }

  #unlink(path: string): void {
    for (let child = path; ;) {
      const parent = parentOf(child);
      const siblings = this.#children.get(parent);
      if (siblings === undefined) return;
      siblings.delete(child);
      if (siblings.size > 0) return;
      this.#children.delete(parent);
      if (parent === '' || this.#entries.has(parent)) return;
      child = parent;
    }
  }
}

/** '' for a path directly below the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function depthOf(path: string): number {
  let depth = 0;
  for (let index = path.indexOf('/'); index >= 0; index = path.indexOf('/', index + 1)) depth++;
  return depth;
}

/** The folders on the way to a path, from the top; without the path itself. */
export function* ancestorsOf(path: string): Generator<string> {
  for (let index = path.indexOf('/'); index >= 0; index = path.indexOf('/', index + 1))
    yield path.slice(0, index);
}
