import type { Clock } from '../base/clock.ts';
import type { Store } from '../base/store.ts';
import type { StateSource } from '../ipc/handlers.ts';

/** A state stays open for so long after its last window left: going back and forth shows no loading. */
const lingerMs = 10_000;

interface Kept<Value> extends Disposable {
  readonly store: Store<Value>;
}

/** States that windows share: one set of watches for each question, however many windows ask it. */
export class SharedStates<Params, Value> {
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #create: (params: Params) => Kept<Value>;
  readonly #open = new Map<
    string,
    { readonly kept: Kept<Value>; users: number; end?: Disposable | undefined }
  >();

  constructor(clock: Pick<Clock, 'timer'>, create: (params: Params) => Kept<Value>) {
    this.#clock = clock;
    this.#create = create;
  }

  open(params: Params): StateSource<Value> {
    const key = JSON.stringify(params);
    const entry = this.#open.get(key) ?? { kept: this.#create(params), users: 0 };
    this.#open.set(key, entry);
    entry.users += 1;
    entry.end?.[Symbol.dispose]();
    entry.end = undefined;
    const { store } = entry.kept;
    let left = false;
    return {
      get value() {
        return store.value;
      },
      onChange: store.onChange,
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        entry.users -= 1;
        if (entry.users > 0) return;
        entry.end = this.#clock.timer(lingerMs, () => {
          this.#open.delete(key);
          entry.kept[Symbol.dispose]();
        });
      },
    };
  }
}
