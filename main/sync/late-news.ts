import type { Entry } from './entry.ts';
import { sameEntry } from './side-state.ts';

/** What was reported of a path; without `entry` only that something happened to it. */
interface News {
  readonly told: boolean;
  readonly entry: Entry | undefined;
}

const unknown: News = { told: false, entry: undefined };

/**
 * What the container reported of paths while a step of ours was under way there. Mostly it is the echo of that step:
 * what is reported is what the step's answer says is there. Then nothing has to be read again; what happens later is
 * reported by itself.
 */
export class LateNews {
  readonly #news = new Map<string, News>();

  get size(): number {
    return this.#news.size;
  }

  has(path: string): boolean {
    return this.#news.has(path);
  }

  /** The last report counts. */
  add(path: string, entries: ReadonlyMap<string, Entry | undefined> | undefined): void {
    this.#news.set(path, entries?.has(path) === true ? { told: true, entry: entries.get(path) } : unknown);
  }

  paths(): Iterable<string> {
    return this.#news.keys();
  }

  /** Takes what was reported of a path; true when it is not just what is known to be there now. */
  takeDiffering(path: string, known: Entry | undefined): boolean {
    const news = this.#news.get(path);
    this.#news.delete(path);
    if (news === undefined) return false;
    if (!news.told) return true;
    if (news.entry === undefined || known === undefined) return news.entry !== known;
    return !sameEntry(known, news.entry) || mayHideWrite(known, news.entry);
  }
}

/**
 * A write of the same length in the tick of the clock in which the step put the file there shows in no time where both
 * times are that tick. A step gives a file the time that its source has, so mostly they differ.
 */
function mayHideWrite(known: Entry, told: Entry): boolean {
  if (known.kind !== 'file' || told.kind !== 'file' || known.mtimeNs !== known.ctimeNs) return false;
  return told.digest === undefined || known.digest === undefined;
}
