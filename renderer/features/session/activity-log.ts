import type { Activity, ActivityBatch } from '../../../contract/sessions.ts';

/** A file that travelled, with its number in the order of arrival. */
export interface LoggedActivity extends Activity {
  readonly number: number;
}

/** Files that a window keeps; main keeps more. */
const mostKept = 5000;
/** Dropped in one go, so that an append is cheap. */
const slack = 1000;

/**
 * The latest files that travelled, oldest first. Batches are taken in at any rate; listeners hear of them at most once
 * per frame.
 */
export class ActivityLog {
  #items: LoggedActivity[] = [];
  #next = 0;
  #skipped = 0;
  #listeners = new Set<() => void>();
  #frame: number | undefined;
  #version = 0;
  readonly #schedule: (callback: () => void) => number;

  constructor(schedule: (callback: () => void) => number = (callback) => requestAnimationFrame(callback)) {
    this.#schedule = schedule;
  }

  /** Changes when there is something new to draw. */
  get version(): number {
    return this.#version;
  }

  get items(): readonly LoggedActivity[] {
    return this.#items;
  }

  /** Number that the next file will have. */
  get end(): number {
    return this.#next;
  }

  /** Files that main had to leave out because this window could not follow. */
  get skipped(): number {
    return this.#skipped;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(batch: ActivityBatch): void {
    this.#skipped += batch.skipped;
    for (const item of batch.items) this.#items.push({ ...item, number: this.#next++ });
    if (this.#items.length > mostKept + slack) this.#items = this.#items.slice(-mostKept);
    this.#tell();
  }

  /** Another stream begins and tells the latest again. */
  clear(): void {
    this.#items = [];
    this.#skipped = 0;
    this.#tell();
  }

  #tell(): void {
    this.#frame ??= this.#schedule(() => {
      this.#frame = undefined;
      this.#version++;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** What of a log is shown: newest first, up to a number, with a text in the path. */
export function shownActivity(
  items: readonly LoggedActivity[],
  options: { readonly before: number; readonly search: string },
): readonly LoggedActivity[] {
  const wanted = options.search.trim().toLowerCase();
  const shown: LoggedActivity[] = [];
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item === undefined || item.number >= options.before) continue;
    if (wanted === '' || item.path.toLowerCase().includes(wanted)) shown.push(item);
  }
  return shown;
}
