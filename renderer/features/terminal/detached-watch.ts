/** How long a window may take from being opened to saying that it is there, in milliseconds. */
const openWithinMs = 15_000;
/** Looks in a row without it until a window counts as closed: one that is loaded anew is away for a moment. */
const missesUntilClosed = 2;

interface Watched {
  seen: boolean;
  misses: number;
  readonly since: number;
}

/** Finds out which detached tabs have no window any more, from the locks that windows hold. */
export class DetachedWatch {
  readonly #watched = new Map<string, Watched>();

  /** `before` were detached before this window was loaded (anew), so that theirs are open, or closed for good. */
  constructor(before: readonly string[], nowMs: number) {
    for (const tab of before) this.#watched.set(tab, { seen: true, misses: 0, since: nowMs });
  }

  /** Takes a look: the detached tabs with the locks of their windows, and what is held now. Returns those to show again. */
  look(
    tabs: readonly { readonly tab: string; readonly lock: string | undefined }[],
    held: ReadonlySet<string>,
    nowMs: number,
  ): readonly string[] {
    for (const tab of this.#watched.keys())
      if (!tabs.some((one) => one.tab === tab)) this.#watched.delete(tab);
    return tabs.filter(({ tab, lock }) => this.#isClosed(tab, lock, held, nowMs)).map(({ tab }) => tab);
  }

  #isClosed(tab: string, lock: string | undefined, held: ReadonlySet<string>, nowMs: number): boolean {
    // What it was of is gone.
    if (lock === undefined) return true;
    const watched = this.#watched.get(tab) ?? { seen: false, misses: 0, since: nowMs };
    this.#watched.set(tab, watched);
    if (held.has(lock)) {
      watched.seen = true;
      watched.misses = 0;
      return false;
    }
    watched.misses += 1;
    return watched.seen ? watched.misses >= missesUntilClosed : nowMs - watched.since > openWithinMs;
  }
}
