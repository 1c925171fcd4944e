import type { Connection } from '../contract/clusters.ts';
import { Store } from './base/store.ts';
import type { StateSource } from './ipc/handlers.ts';

/** The clusters that windows look at and that answer, as far as those windows are told. */
export class ConnectedClusters {
  /** Their ids. */
  readonly ids = new Store<readonly string[]>([]);
  readonly #watched = new Map<string, Set<StateSource<Connection>>>();

  /** Notices what a window is told of a connection; the source is the window's as before. */
  notice(id: string, source: StateSource<Connection>): StateSource<Connection> {
    const sources = this.#watched.get(id) ?? new Set();
    this.#watched.set(id, sources.add(source));
    const listening = source.onChange(() => this.#count());
    this.#count();
    return {
      get value() {
        return source.value;
      },
      onChange: source.onChange,
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]();
        source[Symbol.dispose]();
        sources.delete(source);
        if (sources.size === 0) this.#watched.delete(id);
        this.#count();
      },
    };
  }

  #count(): void {
    const connected = [...this.#watched].flatMap(([id, sources]) =>
      [...sources].some(({ value }) => value.state === 'connected') ? [id] : [],
    );
    const before = this.ids.value;
    if (connected.length !== before.length || connected.some((id, index) => id !== before[index]))
      this.ids.set(connected);
  }
}
