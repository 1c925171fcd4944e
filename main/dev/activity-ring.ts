import type { Activity, ActivityBatch } from '../../contract/sessions.ts';

/** Files that are remembered for windows that open later or cannot follow. */
export const activityLimit = 10_000;

/** The latest files that travelled. Adding costs one slot; whoever reads keeps a position of its own. */
export class ActivityRing {
  readonly #items: Activity[] = [];
  readonly #limit: number;
  #added = 0;

  constructor(limit = activityLimit) {
    this.#limit = limit;
  }

  /** Items that were ever added: the position behind the latest. */
  get end(): number {
    return this.#added;
  }

  add(item: Activity): void {
    this.#items[this.#added % this.#limit] = item;
    this.#added++;
  }

  /** At most `limit` items from a position on; what was overwritten meanwhile is counted as skipped. */
  read(position: number, limit: number): { readonly batch: ActivityBatch; readonly next: number } {
    const from = Math.max(position, this.#added - this.#limit);
    const to = Math.min(from + limit, this.#added);
    const items: Activity[] = [];
    for (let index = from; index < to; index++) {
      const item = this.#items[index % this.#limit];
      if (item !== undefined) items.push(item);
    }
    return { batch: { items, skipped: from - position }, next: to };
  }
}
