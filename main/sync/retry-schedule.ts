/** When to look again at paths that could not be changed, with growing pauses per path. */
export class RetrySchedule {
  readonly #entries = new Map<string, { attempts: number; due: number; reported: string | undefined }>();

  /** Milliseconds (monotonic) at which the next path is due; undefined when none waits. */
  get nextDue(): number | undefined {
    let next: number | undefined;
    for (const { due } of this.#entries.values())
      if (due !== Infinity && (next === undefined || due < next)) next = due;
    return next;
  }

  /** Paths with a problem that was told. */
  get reported(): number {
    let count = 0;
    for (const { reported } of this.#entries.values()) if (reported !== undefined) count++;
    return count;
  }

  waits(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && entry.due !== Infinity;
  }

  /** True while a path with a problem that was told waits: nothing happens to it until then. */
  isStuck(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry?.reported !== undefined && entry.due !== Infinity;
  }

  /** What was told of the path. */
  problemOf(path: string): string | undefined {
    return this.#entries.get(path)?.reported;
  }

  attempts(path: string): number {
    return this.#entries.get(path)?.attempts ?? 0;
  }

  /** Plans another try; true when `problem` is new for the path and has to be told. */
  again(path: string, now: number, firstMs: number, limitMs: number, problem?: string): boolean {
    const before = this.#entries.get(path);
    const attempts = (before?.attempts ?? 0) + 1;
    const pause = Math.min(firstMs * 2 ** Math.min(attempts - 1, 16), limitMs);
    this.#entries.set(path, { attempts, due: now + pause, reported: problem ?? before?.reported });
    return problem !== undefined && before?.reported !== problem;
  }

  /** The path is in order again. */
  clear(path: string): void {
    this.#entries.delete(path);
  }

  clearAll(): void {
    this.#entries.clear();
  }

  /** Takes the paths whose time has come; their count of attempts is kept until `clear`. */
  takeDue(now: number): readonly string[] {
    const due: string[] = [];
    for (const [path, entry] of this.#entries) {
      if (entry.due > now) continue;
      entry.due = Infinity;
      due.push(path);
    }
    return due;
  }
}
