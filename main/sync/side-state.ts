import { sameStat, withKnownDigest } from './compare.ts';
import type { Scan } from './endpoint.ts';
import type { Entry, Problem } from './entry.ts';
import type { PathRules } from './rules.ts';
import { Tree } from './tree.ts';

/** What the engine knows of one side, and which paths it learned something new about. */
export class SideState {
  readonly tree = new Tree();
  /** Paths that could not be read: never taken for missing. */
  readonly unreadable = new Set<string>();
  readonly #rules: PathRules;
  /** Digests from earlier runs, for files that were not touched since. */
  readonly #remembered: (path: string) => Entry | undefined;
  readonly #changed: (path: string) => void;
  readonly #opened: (path: string) => void;

  /** `opened`: what could not be read can be, so everything at and below it on either side has to be decided anew. */
  constructor(
    rules: PathRules,
    remembered: (path: string) => Entry | undefined,
    changed: (path: string) => void,
    opened: (path: string) => void = () => undefined,
  ) {
    this.#rules = rules;
    this.#remembered = remembered;
    this.#changed = changed;
    this.#opened = opened;
  }

  /** Takes in what was found at one path. */
  merge(path: string, found: Entry | undefined): void {
    const known = this.tree.get(path);
    if (found === undefined || this.#rules.excluded(path, found.kind === 'directory')) {
      this.#remove(path);
      return;
    }
    this.#open(path);
    const entry = withKnownDigest(
      withKnownDigest(found, known),
      known === undefined ? this.#remembered(path) : undefined,
    );
    if (entry.kind !== 'directory') this.#forgetUnreadableBelow(path);
    if (known?.kind === 'directory' && entry.kind !== 'directory') this.#removeBelow(path);
    this.tree.set(path, entry);
    if (known === undefined || !sameEntry(known, entry)) this.#changed(path);
  }

  /** Takes in a whole scan, or one below some folders. What it does not name is gone, unless things moved under it. */
  mergeScan(scan: Scan, below: readonly string[] = ['']): readonly Problem[] {
    const problems = scan.problems;
    const before = [...this.unreadable];
    for (const folder of below) {
      if (folder === '') this.unreadable.clear();
      else this.#forgetUnreadableBelow(folder);
    }
    for (const { path } of problems) this.unreadable.add(path);
    if (!scan.moved) {
      const gone: string[] = [];
      for (const folder of below) {
        for (const path of folder === '' ? this.tree.paths() : [folder, ...this.tree.descendants(folder)]) {
          if (!scan.entries.has(path) && !this.#isUnreadable(path)) gone.push(path);
        }
      }
      for (const path of gone) this.#remove(path);
    }
    for (const [path, entry] of scan.entries) this.merge(path, entry);
    // A folder that is there and cannot be read was found as well: what is in it is unknown all the same.
    for (const { path } of problems) this.unreadable.add(path);
    for (const path of before) if (!this.unreadable.has(path)) this.#opened(path);
    return problems;
  }

  /** What an endpoint said is there after it did something; not news. */
  set(path: string, entry: Entry | undefined): void {
    if (entry === undefined) this.tree.delete(path);
    else this.tree.set(path, entry);
  }

  #isUnreadable(path: string): boolean {
    if (this.unreadable.size === 0) return false;
    for (const unreadable of this.unreadable)
      if (path === unreadable || isBelow(path, unreadable)) return true;
    return false;
  }

  #remove(path: string): void {
    this.#open(path);
    this.#forgetUnreadableBelow(path);
    this.#removeBelow(path);
    if (this.tree.get(path) === undefined) return;
    this.tree.delete(path);
    this.#changed(path);
  }

  #forgetUnreadableBelow(folder: string): void {
    if (this.unreadable.size === 0) return;
    for (const path of [...this.unreadable]) if (isBelow(path, folder)) this.#open(path);
  }

  #open(path: string): void {
    if (this.unreadable.delete(path)) this.#opened(path);
  }

  #removeBelow(path: string): void {
    for (const child of [...this.tree.descendants(path)].reverse()) {
      this.tree.delete(child);
      this.#changed(child);
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Nothing to compare anew: what is known of a path says the same as what was found there. */
export function sameEntry(a: Entry, b: Entry): boolean {
  if (a.kind === 'file') {
    if (b.kind !== 'file' || !sameStat(a, b) || a.mode !== b.mode) return false;
    return a.digest === undefined || b.digest === undefined || a.digest === b.digest;
  }
  if (a.kind === 'directory') return b.kind === 'directory' && a.mode === b.mode;
  if (a.kind === 'symlink') return b.kind === 'symlink' && a.target === b.target;
  return b.kind === 'other';
}
