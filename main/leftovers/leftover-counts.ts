import type { ValueOf } from '../../contract/api.ts';
import type { Event } from '../base/event.ts';
import { Store } from '../base/store.ts';
import type { StateSource } from '../ipc/handlers.ts';
import { isSlipwayError } from '../base/errors.ts';
import type { ClusterLeftovers } from './cluster-leftovers.ts';
import { countOf } from './leftover-listing.ts';

type Counts = ValueOf<'leftovers.counts'>;

/** How many leftovers each connected cluster has, following connections as they come and go. */
export function leftoverCounts(options: {
  readonly connected: { readonly value: readonly string[]; readonly onChange: Event<void> };
  readonly leftoversOf: (id: string) => ClusterLeftovers;
}): StateSource<Counts> {
  const store = new Store<Counts>({ items: {} });
  const followed = new Map<string, { readonly leftovers: ClusterLeftovers } & Disposable>();
  const tell = (): void => {
    const items: Record<string, number> = {};
    for (const [id, { leftovers }] of followed) {
      const count = countOf(leftovers.value);
      if (count !== undefined) items[id] = count;
    }
    if (JSON.stringify(items) !== JSON.stringify(store.value.items)) store.set({ items });
  };
  const follow = (id: string): void => {
    try {
      const leftovers = options.leftoversOf(id);
      const watching = leftovers.watch({ closely: false });
      const listening = leftovers.onChange(tell);
      followed.set(id, {
        leftovers,
        [Symbol.dispose]() {
          listening[Symbol.dispose]();
          watching[Symbol.dispose]();
        },
      });
    } catch (error) {
      // Its context went away in the same moment.
      if (!isSlipwayError(error, 'cluster.unknown')) throw error;
    }
  };
  const update = (): void => {
    const now = new Set(options.connected.value);
    for (const [id, one] of followed) {
      if (now.has(id)) continue;
      one[Symbol.dispose]();
      followed.delete(id);
    }
    for (const id of now) if (!followed.has(id)) follow(id);
    tell();
  };
  const connections = options.connected.onChange(update);
  update();
  return {
    get value() {
      return store.value;
    },
    onChange: store.onChange,
    [Symbol.dispose]() {
      connections[Symbol.dispose]();
      for (const one of followed.values()) one[Symbol.dispose]();
      store[Symbol.dispose]();
    },
  };
}
