import type { Clock } from './clock.ts';
import type { Event } from './event.ts';
import type { Store } from './store.ts';

/** How long something is kept current after its last watcher left: a page that is loaded anew finds it again. */
const lingerMs = 10_000;
/** How many are kept like this at a time; the one that was left first goes first. */
export const maximumLingering = 8;

/** Something that is kept current while it lives. */
export type Running<Value> = (Disposable | AsyncDisposable) & { readonly store: Store<Value> };

/** One watcher's look at it. */
interface Look<Value> extends Disposable {
  readonly value: Value;
  readonly onChange: Event<void>;
}

interface Shared<Params, Run> {
  readonly params: Params;
  readonly running: Run;
  watchers: number;
  leaving: Disposable | undefined;
}

/** One running thing for equal params (plain values), however many watch it. */
export class SharedStates<Params, Value, Run extends Running<Value>> implements AsyncDisposable {
  readonly #shared = new Map<string, Shared<Params, Run>>();
  /** Those that nobody watches, by their keys. */
  readonly #lingering = new Set<string>();
  readonly #start: (params: Params) => Run;
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #endings = new Set<Promise<void>>();

  constructor(clock: Pick<Clock, 'timer'>, start: (params: Params) => Run) {
    this.#clock = clock;
    this.#start = start;
  }

  /** What runs now for these params, if anything does. */
  get(params: Params): Run | undefined {
    return this.#shared.get(keyOf(params))?.running;
  }

  all(): readonly (readonly [Params, Run])[] {
    return [...this.#shared.values()].map(({ params, running }) => [params, running]);
  }

  watch(params: Params): Look<Value> {
    const key = keyOf(params);
    const watched = this.#shared.get(key) ?? {
      params,
      running: this.#start(params),
      watchers: 0,
      leaving: undefined,
    };
    this.#shared.set(key, watched);
    watched.watchers += 1;
    watched.leaving?.[Symbol.dispose]();
    this.#lingering.delete(key);
    const { store } = watched.running;
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
        if (watched.watchers === 0) this.#linger(key, watched);
      },
    };
  }

  #linger(key: string, shared: Shared<Params, Run>): void {
    if (this.#shared.get(key) !== shared) return;
    shared.leaving = this.#clock.timer(lingerMs, () => this.#end(key));
    this.#lingering.add(key);
    for (const oldest of this.#lingering) {
      if (this.#lingering.size <= maximumLingering) break;
      this.#end(oldest);
    }
  }

  #end(key: string): void {
    const shared = this.#shared.get(key);
    if (shared === undefined) return;
    this.#shared.delete(key);
    this.#lingering.delete(key);
    shared.leaving?.[Symbol.dispose]();
    const { running } = shared;
    const end = async (): Promise<void> => {
      if (Symbol.asyncDispose in running) await running[Symbol.asyncDispose]();
      else running[Symbol.dispose]();
    };
    const ending = end().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const key of [...this.#shared.keys()]) this.#end(key);
    await Promise.all(this.#endings);
  }
}

function keyOf(params: unknown): string {
  return JSON.stringify(params);
}
