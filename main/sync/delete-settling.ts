import { ancestorsOf } from './tree.ts';

/** Milliseconds without a further deletion after which deletions are carried out, and the longest wait. */
export const deleteQuietMs = 50;
export const deleteWaitLimitMs = 1000;
/**
 * With more deletions than this pending, one big removal is under way: it is waited for until it is seen whole. What
 * lies in a folder that went as well counts with that folder: a folder goes last, so its removal is at its end.
 */
const fewDeletions = 20;
/** A folder with more than this share of its side may be the first of several: the root may be being emptied. */
const folderShare = 1 / 3;
export const massQuietMs = 200;
export const massWaitLimitMs = 10_000;
/** Deletions this close together count as one for the brake, however slowly a big removal comes in. */
export const brakeWindowMs = 10_000;

/**
 * Gathers deletions for a moment, so that a mass deletion is seen whole by the brake, and an editor that removes a
 * file before it writes it again is not seen deleting.
 */
export class DeleteSettling {
  readonly #seen = new Set<string>();
  /** What was seen gone although its folder was not; undefined until asked for. */
  #tops: number | undefined;
  #entries = Infinity;
  #first = 0;
  #last = 0;
  #stirred = 0;

  /** Milliseconds (monotonic) at which what was seen may be carried out; undefined when nothing was. */
  get due(): number | undefined {
    if (this.#seen.size === 0) return undefined;
    this.#tops ??= this.#countTops();
    const { size } = this.#seen;
    const few = size <= fewDeletions || (this.#tops <= fewDeletions && size <= this.#entries * folderShare);
    return few
      ? Math.min(this.#last + deleteQuietMs, this.#first + deleteWaitLimitMs)
      : Math.min(Math.max(this.#last, this.#stirred) + massQuietMs, this.#first + massWaitLimitMs);
  }

  /** Something new came up beside what went: a big removal may be a move of which the other end is not seen yet. */
  stir(now: number): void {
    this.#stirred = now;
  }

  /** `entries`: what the side has that would lose them. */
  see(paths: readonly string[], now: number, entries = Infinity): void {
    this.#entries = entries;
    for (const path of paths) {
      if (this.#seen.has(path)) continue;
      if (this.#seen.size === 0) this.#first = now;
      this.#seen.add(path);
      this.#tops = undefined;
      this.#last = now;
    }
  }

  settled(now: number): boolean {
    const { due } = this;
    return due === undefined || now >= due;
  }

  reset(): void {
    this.#seen.clear();
    this.#tops = undefined;
  }

  #countTops(): number {
    let count = 0;
    for (const path of this.#seen) {
      let inside = false;
      for (const folder of ancestorsOf(path)) inside ||= this.#seen.has(folder);
      if (!inside && ++count > fewDeletions) break;
    }
    return count;
  }
}

/** What was deleted, or held from being deleted, lately on one side; each path counts once. */
export class RecentDeletions {
  readonly #at = new Map<string, number>();

  /** How many that are not among `paths` lie within the window. What `isBack` was not deleted after all. */
  besides(paths: ReadonlySet<string>, now: number, isBack: (path: string) => boolean = () => false): number {
    let count = 0;
    for (const [path, at] of this.#at) {
      if (now - at > brakeWindowMs || isBack(path)) this.#at.delete(path);
      else if (!paths.has(path)) count++;
    }
    return count;
  }

  note(paths: Iterable<string>, now: number): void {
    for (const path of paths) this.#at.set(path, now);
  }
}
