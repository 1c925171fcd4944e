import type { Connection, Namespace } from '../../contract/clusters.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import type { StateSource } from '../ipc/handlers.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { watchNamespaces, type NamespaceWatch } from './namespaces.ts';

export interface ClusterNamespacesOptions {
  readonly connection: StateSource<Connection>;
  readonly kube: () => Promise<Kube>;
  readonly clock: Clock;
  readonly known: () => readonly string[];
}

/** The namespaces of a cluster, kept current. */
export interface ClusterNamespaces extends AsyncDisposable {
  readonly store: Store<Listing<Namespace>>;
  refreshKnown(): void;
  /** Begins anew, on what `kube` gives then. */
  restart(): void;
}

/**
 * Watches the namespaces as soon as the cluster is connected; until then it says what the connection says, so that
 * a sign-in that fails is tried in one place only.
 */
export function openClusterNamespaces(options: ClusterNamespacesOptions): ClusterNamespaces {
  const { connection, clock, known } = options;
  const store = new Store<Listing<Namespace>>({ state: 'loading', items: {} });
  let watch: NamespaceWatch | undefined;
  let following: Disposable | undefined;
  let opening: Promise<void> | undefined;
  let endings: Promise<unknown> = Promise.resolve();
  let ended = false;
  let generation = 0;
  const open = async (own: number): Promise<void> => {
    try {
      const kube = await options.kube();
      if (ended || own !== generation) return;
      const opened = watchNamespaces({ kube, clock, known });
      watch = opened;
      following = opened.store.onChange(() => store.set(opened.store.value));
    } catch (error) {
      if (ended || own !== generation || isCancellation(error)) return;
      store.set({ state: 'error', items: {}, error: clusterErrorValue(error) });
    }
  };
  const follow = (): void => {
    if (ended || watch !== undefined || opening !== undefined) return;
    const { state, error } = connection.value;
    if (state === 'connected') opening = open(generation).finally(() => (opening = undefined));
    else if (state === 'failed' && error !== undefined) store.set({ state: 'error', items: {}, error });
    else if (store.value.state === 'error') store.set({ state: 'loading', items: {} });
  };
  const close = (): void => {
    generation += 1;
    following?.[Symbol.dispose]();
    const old = watch;
    watch = undefined;
    if (old !== undefined) endings = endings.then(() => old[Symbol.asyncDispose]());
  };
  const listening = connection.onChange(follow);
  follow();
  return {
    store,
    refreshKnown: () => watch?.refreshKnown(),
    restart() {
      close();
      const pending = opening ?? Promise.resolve();
      void pending.then(follow);
    },
    async [Symbol.asyncDispose]() {
      ended = true;
      listening[Symbol.dispose]();
      close();
      await opening;
      await endings;
      connection[Symbol.dispose]();
      store[Symbol.dispose]();
    },
  };
}
