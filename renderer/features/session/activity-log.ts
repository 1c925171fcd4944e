import type { Activity, ActivityBatch } from '../../../contract/sessions.ts';

/** A file that travelled, with its number in the order of arrival. */
export interface LoggedActivity extends Activity {
  readonly number: number;
}

/** Files that a window keeps; main keeps more. */
const mostKept = 5000;
/** Dropped in one go, so that an append is cheap. */
const slack = 1000;
/** Between two drawings, in milliseconds: faster than anybody reads, and there is time for everything else. */
const drawMs = 90;

/**
 * The latest files that travelled, oldest first. Batches are taken in at any rate; listeners hear of them at most once
 * per drawing.
 */
export class ActivityLog {
  #items: LoggedActivity[] = [];
  #next = 0;
  #skipped = 0;
  #listeners = new Set<() => void>();
  #frame: number | undefined;
  #version = 0;
  readonly #schedule: (callback: () => void) => number;

  constructor(schedule = nextDrawing()) {
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

/** A list that is read by position, so that nothing is copied for what is not in sight. */
export interface ShownActivity {
  readonly count: number;
  at(index: number): LoggedActivity | undefined;
}

/** What of a log is shown: newest first, up to a number, with a text in the path. */
export function shownActivity(
  items: readonly LoggedActivity[],
  options: { readonly before: number; readonly search: string },
): ShownActivity {
  const newer = items.length === 0 ? 0 : (items.at(-1)?.number ?? 0) + 1 - options.before;
  const count = Math.max(0, Math.min(items.length, items.length - newer));
  const wanted = options.search.trim().toLowerCase();
  if (wanted === '') return { count, at: (index) => items[count - 1 - index] };
  const found: LoggedActivity[] = [];
  for (let index = count - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.path.toLowerCase().includes(wanted) === true) found.push(item);
  }
  return { count: found.length, at: (index) => found[index] };
}

/** Calls back in an animation frame, at most one for each {@link drawMs}. */
function nextDrawing(): (callback: () => void) => number {
  let last = -Infinity;
  return (callback) => {
    const draw = (): void => {
      last = performance.now();
      callback();
    };
    const wait = last + drawMs - performance.now();
    const frame = (): number => requestAnimationFrame(draw);
    return wait <= 0 ? frame() : window.setTimeout(frame, wait);
  };
}
