import type { Listing } from '../../contract/listing.ts';
import { workloadKinds, type DevState, type Workload, type WorkloadKind } from '../../contract/workloads.ts';
import { isCancellation, isSlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { readableName } from '../kube/readable-object.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { LeaseObject } from '../session/lease.ts';
import { Coalescer } from './coalesce.ts';
import type { WorkloadsDependencies } from './dependencies.ts';
import { devStates } from './dev-states.ts';
import { followCluster } from './follow-cluster.ts';
import { listingState, type ListingSource } from './listing-state.ts';
import { LiveObjects } from './live-objects.ts';
import { makerOf } from './owner-names.ts';
import { ServerClock } from './server-clock.ts';
import { withUnreadable } from './unreadable.ts';
import { isListed, rowKey, rowOf, sameOrNew, workloadTypes, type WorkloadObject } from './workload-rows.ts';

/** Changes that come within this time are shown together. */
const coalesceMs = 100;
/** How often it is looked whether a session has fallen silent. */
const lifeMs = 15_000;

export type ListDependencies = Pick<WorkloadsDependencies, 'clusters' | 'clock' | 'live' | 'session'>;

/** The workloads of some namespaces, or of all when none is named, kept current until disposed. */
export class WorkloadList implements Disposable {
  readonly store = new Store<Listing<Workload>>({ state: 'loading', items: {} });
  readonly #follower: Disposable;

  constructor(
    dependencies: ListDependencies,
    params: { readonly cluster: string; readonly namespaces: readonly string[] },
  ) {
    this.#follower = followCluster({
      clusters: dependencies.clusters,
      clock: dependencies.clock,
      cluster: params.cluster,
      use: (kube) => new ConnectedList(dependencies, params, kube, this.store),
      onFailure: (error) => this.store.update(({ items }) => ({ state: 'error', items, error })),
    });
  }

  [Symbol.dispose](): void {
    this.#follower[Symbol.dispose]();
    this.store[Symbol.dispose]();
  }
}

interface KindWatch {
  readonly kind: WorkloadKind;
  readonly namespace: string | undefined;
  readonly objects: LiveObjects<WorkloadObject>;
}

interface LeaseWatch {
  readonly namespace: string | undefined;
  readonly objects: LiveObjects<LeaseObject>;
}

/** The same on one connection. */
class ConnectedList implements AsyncDisposable {
  readonly #dependencies: ListDependencies;
  readonly #cluster: string;
  readonly #store: Store<Listing<Workload>>;
  readonly #kinds: readonly KindWatch[];
  readonly #leases: readonly LeaseWatch[];
  readonly #serverClock: ServerClock;
  readonly #ended = new AbortController();
  readonly #flushing: Coalescer;
  readonly #sessionChanges: Disposable;
  #life: Disposable | undefined;
  /** Rows without what is said about sessions, by key; and the objects that sessions created. */
  readonly #rows = new Map<string, Workload>();
  readonly #devObjects = new Map<string, WorkloadObject>();
  /** Names of objects that make no sense, by kind and key; and of those that sessions made. */
  readonly #unreadable = new Map<string, string>();
  #unreadableSessions: readonly string[] = [];
  /** Of this connection: what a former one knew is not carried over. */
  #items: Readonly<Record<string, Workload>> = {};
  #dirty = new Map<KindWatch, Set<string> | 'all'>();
  #states: ReadonlyMap<string, DevState> = new Map();
  #user: string | undefined;

  constructor(
    dependencies: ListDependencies,
    { cluster, namespaces }: { readonly cluster: string; readonly namespaces: readonly string[] },
    kube: Kube,
    store: Store<Listing<Workload>>,
  ) {
    const { clock, live, session } = dependencies;
    this.#dependencies = dependencies;
    this.#cluster = cluster;
    this.#store = store;
    this.#serverClock = new ServerClock(kube, clock, session);
    this.#flushing = new Coalescer(
      clock,
      coalesceMs,
      () => this.#flush(),
      (error) => store.set({ state: 'error', items: this.#items, error: clusterErrorValue(error) }),
    );
    const places = namespaces.length === 0 ? [undefined] : [...new Set(namespaces)];
    this.#kinds = places.flatMap((namespace) =>
      workloadKinds.map((kind) => this.#watchKind(kube, kind, namespace)),
    );
    this.#leases = places.map((namespace) => ({
      namespace,
      objects: new LiveObjects<LeaseObject>({
        kube,
        clock,
        type: resourceTypes.lease,
        namespace,
        selectors: { labelSelector: session.sessionObjectsSelector },
        onChange: () => this.#flushing.request(),
      }),
    }));
    this.#sessionChanges = live.onChange(() => this.#flushing.request());
    void this.#findUser(kube);
    this.#watchLife();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#life?.[Symbol.dispose]();
    this.#sessionChanges[Symbol.dispose]();
    this.#flushing[Symbol.dispose]();
    const watches = [...this.#kinds, ...this.#leases].map(({ objects }) => objects[Symbol.asyncDispose]());
    await Promise.allSettled(watches);
  }

  #watchKind(kube: Kube, kind: WorkloadKind, namespace: string | undefined): KindWatch {
    const watch: KindWatch = {
      kind,
      namespace,
      objects: new LiveObjects<WorkloadObject>({
        kube,
        clock: this.#dependencies.clock,
        type: workloadTypes[kind],
        namespace,
        onChange: (keys) => this.#note(watch, keys),
      }),
    };
    return watch;
  }

  /** Costs the same however much has changed since the last look: a rollout is thousands of these at once. */
  #note(watch: KindWatch, keys: readonly string[] | 'all'): void {
    const before = this.#dirty.get(watch);
    if (keys === 'all') this.#dirty.set(watch, 'all');
    else if (before === undefined) this.#dirty.set(watch, new Set(keys));
    else if (before !== 'all') for (const key of keys) before.add(key);
    this.#flushing.request();
  }

  async #findUser(kube: Kube): Promise<void> {
    try {
      this.#user = (await kube.whoAmI({ signal: this.#ended.signal })).username;
      this.#flushing.request();
    } catch (error) {
      // Whose sessions are one's own is then known of those of this app alone.
      if (!isSlipwayError(error) && !isCancellation(error)) throw error;
    }
  }

  /** A session falls silent without any event. */
  #watchLife(): void {
    const look = async (): Promise<void> => {
      const some = this.#leases.some(({ objects }) => objects.objects.size > 0);
      if (some) await this.#serverClock.refresh(this.#ended.signal).catch(() => undefined);
      if (this.#ended.signal.aborted) return;
      if (some) this.#flushing.request();
      this.#life = this.#dependencies.clock.timer(lifeMs, () => void look());
    };
    this.#life = this.#dependencies.clock.timer(1_000, () => void look());
  }

  #flush(): void {
    const changed = new Set<string>();
    for (const [watch, keys] of this.#dirty) this.#takeRows(watch, keys, changed);
    this.#dirty = new Map();
    this.#takeStates(changed);
    this.#items = this.#itemsAfter(this.#items, changed);
    const words = withUnreadable(listingState(this.#sources()), this.#leftOut());
    const before = this.#store.value;
    if (this.#items === before.items && sameWords(before, words)) return;
    this.#store.set({ ...words, items: this.#items });
  }

  #takeRows(watch: KindWatch, keys: ReadonlySet<string> | 'all', changed: Set<string>): void {
    const { kind, namespace, objects } = watch;
    if (keys === 'all') {
      const place = `${kind} ${namespace === undefined ? '' : `${namespace}/`}`;
      for (const key of this.#unreadable.keys()) if (key.startsWith(place)) this.#unreadable.delete(key);
      for (const [key, row] of this.#rows) {
        const gone = row.kind === kind && (namespace === undefined || row.namespace === namespace);
        if (gone && !objects.objects.has(`${row.namespace}/${row.name}`)) {
          this.#rows.delete(key);
          changed.add(key);
        }
      }
      if (kind === 'Deployment') {
        for (const key of this.#devObjects.keys()) {
          if (namespace === undefined || key.startsWith(`${namespace}/`)) this.#devObjects.delete(key);
        }
      }
    }
    for (const key of keys === 'all' ? objects.objects.keys() : keys) {
      this.#takeRow(kind, key, objects.objects.get(key), changed);
    }
  }

  #takeRow(
    kind: WorkloadKind,
    objectKey: string,
    object: WorkloadObject | undefined,
    changed: Set<string>,
  ): void {
    const slash = objectKey.indexOf('/');
    const key = rowKey(objectKey.slice(0, slash), kind, objectKey.slice(slash + 1));
    const place = `${kind} ${objectKey}`;
    try {
      this.#readRow({ kind, key, objectKey }, object, changed);
      this.#unreadable.delete(place);
    } catch {
      this.#unreadable.set(place, place);
      this.#devObjects.delete(objectKey);
      if (this.#rows.delete(key)) changed.add(key);
    }
  }

  #readRow(
    {
      kind,
      key,
      objectKey,
    }: { readonly kind: WorkloadKind; readonly key: string; readonly objectKey: string },
    object: WorkloadObject | undefined,
    changed: Set<string>,
  ): void {
    const { session } = this.#dependencies;
    const isDev = kind === 'Deployment' && session.sessionOf(object) !== undefined;
    if (kind === 'Deployment') {
      if (isDev && object !== undefined) this.#devObjects.set(objectKey, object);
      else this.#devObjects.delete(objectKey);
    }
    if (object === undefined || isDev || !isListed(kind, object)) {
      if (this.#rows.delete(key)) changed.add(key);
      return;
    }
    const owner = makerOf(session.findOwners(object as Parameters<typeof session.findOwners>[0], []));
    const before = this.#rows.get(key);
    const row = sameOrNew(before, rowOf(kind, object, owner));
    if (row === before) return;
    this.#rows.set(key, row);
    changed.add(key);
  }

  #takeStates(changed: Set<string>): void {
    const { live, session } = this.#dependencies;
    const unreadable: string[] = [];
    const states = devStates({
      cluster: this.#cluster,
      leases: this.#leases.flatMap(({ objects }) => [...objects.objects.values()]),
      devObjects: this.#devObjects.values(),
      live,
      session,
      user: this.#user,
      serverNow: this.#serverClock.now(),
      leasesKnown: this.#leases.every(({ objects }) => objects.status.kind === 'live'),
      onUnreadable: (object) => unreadable.push(`${object.kind ?? 'Lease'} ${readableName(object)}`),
    });
    this.#unreadableSessions = unreadable;
    for (const key of new Set([...states.keys(), ...this.#states.keys()])) {
      if (JSON.stringify(states.get(key)) !== JSON.stringify(this.#states.get(key))) changed.add(key);
    }
    this.#states = states;
  }

  #itemsAfter(
    before: Readonly<Record<string, Workload>>,
    changed: ReadonlySet<string>,
  ): Readonly<Record<string, Workload>> {
    if (changed.size === 0) return before;
    const items = { ...before };
    for (const key of changed) {
      const row = this.#rows.get(key);
      const dev = this.#states.get(key);
      if (row === undefined) Reflect.deleteProperty(items, key);
      else items[key] = dev === undefined ? row : { ...row, dev };
    }
    return items;
  }

  #leftOut(): readonly string[] {
    const nameless = this.#kinds.flatMap(({ kind, objects }) =>
      Array.from({ length: objects.nameless }, () => `${kind} without a name`),
    );
    return [...this.#unreadable.values(), ...this.#unreadableSessions, ...nameless];
  }

  #sources(): readonly ListingSource[] {
    return [
      ...this.#kinds.map(({ kind, namespace, objects }) => ({
        what: `${kind}s`,
        namespace,
        status: objects.status,
      })),
      ...this.#leases.map(({ namespace, objects }) => ({
        what: 'Leases',
        namespace,
        status: objects.status,
        side: 'Sessions of others are therefore seen only in part.',
      })),
    ];
  }
}

function sameWords(before: Listing<Workload>, words: Omit<Listing<never>, 'items'>): boolean {
  const { state, since, error, notes } = before;
  return (
    JSON.stringify([state, since, error, notes]) ===
    JSON.stringify([words.state, words.since, words.error, words.notes])
  );
}
