import type { NameRules } from './paths.ts';
import type { TreeView } from './tree.ts';
import { ancestorsOf, parentOf } from './tree.ts';

/**
 * Names of the container that the laptop's file system takes for one, such as README and readme. One of each group
 * can be on the laptop: the one that is there already, else the first.
 */
export class NameTwins {
  readonly #names: NameRules;
  readonly #from: TreeView;
  readonly #onto: TreeView;
  /** Folder to folded path to the path that is kept. */
  readonly #kept = new Map<string, ReadonlyMap<string, string>>();

  /** For as long as both trees stay as they are. */
  constructor(names: NameRules, from: TreeView, onto: TreeView) {
    this.#names = names;
    this.#from = from;
    this.#onto = onto;
  }

  /** The twin that takes this path's place, or that of a folder on the way to it. */
  keptInstead(path: string): string | undefined {
    for (const each of [...ancestorsOf(path), path]) {
      const kept = this.#keptIn(parentOf(each)).get(foldedName(each, this.#names));
      if (kept !== undefined && kept !== each) return kept;
    }
    return undefined;
  }

  #keptIn(folder: string): ReadonlyMap<string, string> {
    const known = this.#kept.get(folder);
    if (known !== undefined) return known;
    const kept = new Map<string, string>();
    for (const path of [...this.#from.children(folder)].sort()) {
      const key = foldedName(path, this.#names);
      const first = kept.get(key);
      const here = this.#onto.get(path) !== undefined;
      if (first === undefined || (here && this.#onto.get(first) === undefined)) kept.set(key, path);
    }
    this.#kept.set(folder, kept);
    return kept;
  }
}

/** Two names that such a file system takes for one fall on the same key. */
export function foldedName(name: string, { caseInsensitive, normalising }: NameRules): string {
  const composed = normalising ? name.normalize('NFC') : name;
  return caseInsensitive ? composed.toLowerCase().toUpperCase().toLowerCase() : composed;
}

/** Whether there are twins at all where names are compared so. */
export function hasTwins({ caseInsensitive, normalising }: NameRules): boolean {
  return caseInsensitive || normalising;
}
