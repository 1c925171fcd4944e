import type { Side } from './change.ts';
import type { Held, HeldChoice, HeldKind } from './sync-event.ts';

export interface Hold extends Held {
  /** Side on which the changes would be made; undefined for conflicts. */
  readonly side: Side | undefined;
}

/** What waits for somebody's choice, by path and by id. */
export class HoldRegistry {
  readonly #holds = new Map<string, Hold>();
  readonly #byPath = new Map<string, string>();
  /** Paths that may be changed once although they would be held. */
  readonly #allowed = new Map<string, Side>();
  #next = 1;

  get all(): readonly Hold[] {
    return [...this.#holds.values()];
  }

  get size(): number {
    return this.#holds.size;
  }

  find(id: string): Hold | undefined {
    return this.#holds.get(id);
  }

  of(path: string): Hold | undefined {
    const id = this.#byPath.get(path);
    return id === undefined ? undefined : this.#holds.get(id);
  }

  has(kind: HeldKind): boolean {
    for (const hold of this.#holds.values()) if (hold.kind === kind) return true;
    return false;
  }

  add(
    kind: HeldKind,
    side: Side | undefined,
    reason: string,
    paths: readonly string[],
    choices: readonly HeldChoice[],
  ): Hold {
    const id = `${kind}-${this.#next++}`;
    const hold: Hold = { id, kind, side, reason, paths, choices };
    this.#holds.set(id, hold);
    for (const path of paths) this.#byPath.set(path, id);
    return hold;
  }

  remove(id: string): void {
    const hold = this.#holds.get(id);
    if (hold === undefined) return;
    this.#holds.delete(id);
    for (const path of hold.paths) if (this.#byPath.get(path) === id) this.#byPath.delete(path);
  }

  /** Takes paths out of their holds; gives the holds, as they were, of which nothing is left. */
  drop(paths: readonly string[]): readonly Hold[] {
    const dropped = new Map<string, Set<string>>();
    for (const path of paths) {
      const id = this.#byPath.get(path);
      if (id === undefined) continue;
      this.#byPath.delete(path);
      const own = dropped.get(id) ?? new Set();
      dropped.set(id, own.add(path));
    }
    const emptied: Hold[] = [];
    for (const [id, gone] of dropped) {
      const hold = this.#holds.get(id);
      if (hold === undefined) continue;
      const left = hold.paths.filter((path) => !gone.has(path));
      if (left.length > 0) this.#holds.set(id, { ...hold, paths: left });
      else {
        this.#holds.delete(id);
        emptied.push(hold);
      }
    }
    return emptied;
  }

  allow(path: string, side: Side): void {
    this.#allowed.set(path, side);
  }

  isAllowed(path: string, side: Side): boolean {
    return this.#allowed.get(path) === side;
  }

  /** The path is settled: what was allowed is used up. */
  forgetAllowed(path: string): void {
    this.#allowed.delete(path);
  }
}
