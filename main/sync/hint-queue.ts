import type { FileEntry } from './change.ts';
import type { Entry } from './entry.ts';
import { sameStat } from './compare.ts';

/** Milliseconds for which a file has to be still before it is sent, and after which it is sent anyway. */
export const stillMs = 4;
/** The same for a file that became shorter where it lies: who saves by truncating first is still writing then. */
export const truncatedStillMs = 40;
export const hotFileAgeMs = 250;

interface Pending {
  readonly since: number;
  readonly due: number;
  readonly seen: Entry | undefined;
  /** If it is a folder, look into it even if it is known. */
  readonly into: boolean;
}

/**
 * Paths to look at on the laptop. A file that is being written is looked at again a few milliseconds later, until it
 * rests or has been waited for long enough; it never holds up another path.
 */
export class HintQueue {
  readonly #pending = new Map<string, Pending>();

  get size(): number {
    return this.#pending.size;
  }

  get nextDue(): number | undefined {
    let next: number | undefined;
    for (const { due } of this.#pending.values()) if (next === undefined || due < next) next = due;
    return next;
  }

  has(path: string): boolean {
    return this.#pending.has(path);
  }

  some(test: (path: string) => boolean): boolean {
    for (const path of this.#pending.keys()) if (test(path)) return true;
    return false;
  }

  add(path: string, now: number, into = false): void {
    const before = this.#pending.get(path);
    if (before === undefined) this.#pending.set(path, { since: now, due: now, seen: undefined, into });
    else if (into && !before.into) this.#pending.set(path, { ...before, into });
  }

  /** Takes the paths to look at now; each is then given to `settled` or comes back by `wait`. */
  takeDue(now: number, busy: (path: string) => boolean): ReadonlyMap<string, Pending> {
    const due = new Map<string, Pending>();
    for (const [path, pending] of this.#pending)
      if (pending.due <= now && !busy(path)) due.set(path, pending);
    for (const path of due.keys()) this.#pending.delete(path);
    return due;
  }

  /** True when what was found may be acted on; else the path is looked at again. */
  settle(
    path: string,
    pending: Pending,
    found: Entry | undefined,
    known: Entry | undefined,
    now: number,
  ): boolean {
    if (found?.kind !== 'file' || (known?.kind === 'file' && sameStat(found, known))) return true;
    if (pending.seen?.kind === 'file' && sameStat(found, pending.seen)) return true;
    if (now - pending.since >= hotFileAgeMs) return true;
    const still = isTruncated(found, known) ? truncatedStillMs : stillMs;
    this.#pending.set(path, { ...pending, due: now + still, seen: found });
    return false;
  }
}

/** What is moved into place is whole, however short it is: it is another file. */
function isTruncated(found: FileEntry, known: Entry | undefined): boolean {
  if (known?.kind !== 'file' || found.size >= known.size) return false;
  return found.size === 0 || found.inode === known.inode;
}
