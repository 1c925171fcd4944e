/** Something that the user can do from anywhere: in the palette, by its chord, and in menus under the same name. */
export interface Action {
  /** Stays the same over releases: settings keep chords by it. Like `session.stop`. */
  readonly id: string;
  /** Title case, like "Stop Session". */
  readonly label: string;
  /** Its group in the palette and on the sheet, like "Session". */
  readonly category: string;
  readonly run: () => void;
  /** The default chord, like `Mod+Shift+P`; the settings may say another one. */
  readonly chord?: string | undefined;
  /** Absent means yes. */
  readonly enabled?: boolean | undefined;
}

/** All actions of what is on the screen. A part that goes away takes its own along. */
export class ActionRegistry {
  readonly #groups = new Map<symbol, readonly Action[]>();
  readonly #listeners = new Set<() => void>();
  #signature = '';
  #all: readonly Action[] = [];

  /** The actions; the same array while nothing that is shown of them changes. `run` is always the latest. */
  get all(): readonly Action[] {
    return this.#all;
  }

  set(owner: symbol, actions: readonly Action[]): void {
    this.#groups.set(owner, actions);
    this.#changed();
  }

  delete(owner: symbol): void {
    if (this.#groups.delete(owner)) this.#changed();
  }

  /** Runs the latest version of an action, when it may run. */
  run(id: string): boolean {
    const action = this.find(id);
    if (action === undefined || action.enabled === false) return false;
    action.run();
    return true;
  }

  /** Of several under one id, the one that came last: a page's own before the frame's. */
  find(id: string): Action | undefined {
    return [...this.#groups.values()].flat().findLast((action) => action.id === id);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    const byId = new Map([...this.#groups.values()].flat().map((action) => [action.id, action]));
    const all = [...byId.values()];
    const signature = JSON.stringify(
      all.map(({ id, label, category, chord, enabled }) => [id, label, category, chord, enabled]),
    );
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#all = all;
    for (const listener of [...this.#listeners]) listener();
  }
}
