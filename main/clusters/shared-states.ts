import type { Clock } from '../base/clock.ts';
import type { Store } from '../base/store.ts';
import type { StateSource } from '../ipc/handlers.ts';

/** How long something is kept current after its last watcher left: a page that is loaded anew finds it again. */
export const lingerMs = 10_000;

/** Something that is kept current while it lives. */
export interface Running<Value> extends AsyncDisposable {
  readonly store: Store<Value>;
}

interface Shared<Value, Run extends Running<Value>> {
  readonly running: Run;
  watchers: number;
  leaving: Disposable | undefined;
}

/** One running thing for each key, however many watch it. */
export class SharedStates<Value, Run extends Running<Value>> implements AsyncDisposable {
  readonly #shared = new Map<string, Shared<Value, Run>>();
  readonly #start: (key: string) => Run;
  readonly #clock: Clock;
  readonly #endings = new Set<Promise<void>>();

  constructor(clock: Clock, start: (key: string) => Run) {
    this.#clock = clock;
    this.#start = start;
  }

  /** What runs now for this key, if anything does. */
  get(key: string): Run | undefined {
    return this.#shared.get(key)?.running;
  }

  all(): readonly (readonly [string, Run])[] {
    return [...this.#shared].map(([key, { running }]) => [key, running]);
  }

  watch(key: string): StateSource<Value> {
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = { running: this.#start(key), watchers: 0, leaving: undefined };
      this.#shared.set(key, shared);
    }
    const watched = shared;
    const { store } = watched.running;
    watched.watchers += 1;
    watched.leaving?.[Symbol.dispose]();
    let released = false;
    return {
      get value() {
        return store.value;
      },
      onChange: store.onChange,
      [Symbol.dispose]: () => {
        if (released) return;
        released = true;
        watched.watchers -= 1;
        if (watched.watchers === 0)
          watched.leaving = this.#clock.timer(lingerMs, () => this.#end(key, watched));
      },
    };
  }

  #end(key: string, shared: Shared<Value, Run>): void {
    if (this.#shared.get(key) === shared) this.#shared.delete(key);
    const end = async (): Promise<void> => shared.running[Symbol.asyncDispose]();
    const ending = end().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [key, shared] of [...this.#shared]) {
      shared.leaving?.[Symbol.dispose]();
      this.#end(key, shared);
    }
    await Promise.all(this.#endings);
  }
}
