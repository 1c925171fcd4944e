import type { V1Namespace } from '@kubernetes/client-node';
import type { Namespace } from '../../contract/clusters.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Clock } from '../base/clock.ts';
import { isSlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube, WatchEvent } from '../kube/kube.ts';
import { leftOutNote, readableName } from '../kube/readable-object.ts';
import { resourceTypes } from '../kube/resource-types.ts';

/** How many namespaces are listed. */
export const maximumNamespaces = 5000;
const maximumNotes = 5;

type NamespaceListing = Listing<Namespace>;

const forbiddenNote =
  'You may not list the namespaces of this cluster: here are that of the context and those that you have used. Any other can be typed.';

const tooManyNote = `There are more namespaces than can be shown: ${maximumNamespaces} is the most. Any other can be typed.`;

/** What a namespace list is after one more event of its watch. `known` are names for where listing is forbidden. */
export function foldNamespaces(
  listing: NamespaceListing,
  event: WatchEvent<V1Namespace>,
  known: readonly string[],
  now: () => string,
): NamespaceListing {
  switch (event.kind) {
    case 'reset':
      return bounded(
        event.items.flatMap((object) => entryOf(object, listing.items)),
        event.items,
      );
    case 'added':
    case 'modified': {
      const [entry] = entryOf(event.object, listing.items);
      if (entry === undefined) return withNote(listing, leftOutNote([readableName(event.object)]));
      if (listing.items[entry[0]] === entry[1]) return listing;
      const items = { ...listing.items, [entry[0]]: entry[1] };
      if (Object.keys(items).length <= maximumNamespaces) return { ...listing, items };
      return withNote(listing, tooManyNote);
    }
    case 'deleted': {
      const name = event.object.metadata?.name ?? '';
      return {
        ...listing,
        items: Object.fromEntries(Object.entries(listing.items).filter(([key]) => key !== name)),
      };
    }
    case 'stale':
      return afterLoss(listing, event.error, known, now);
  }
}

/** Those that are known without a list. */
export function knownListing(known: readonly string[]): NamespaceListing {
  const items = Object.fromEntries([...new Set(known)].map((name) => [name, { name, terminating: false }]));
  return { state: 'partial', items, notes: [forbiddenNote] };
}

function afterLoss(
  listing: NamespaceListing,
  error: Error,
  known: readonly string[],
  now: () => string,
): NamespaceListing {
  if (isSlipwayError(error, 'cluster.forbidden')) return knownListing(known);
  const isOld = listing.state === 'ready' || listing.state === 'stale' || listing.state === 'partial';
  if (isOld) {
    const { items, notes } = listing;
    return { state: 'stale', items, since: listing.since ?? now(), error: clusterErrorValue(error), notes };
  }
  return { state: 'error', items: {}, error: clusterErrorValue(error) };
}

/** The same note once, however often there is reason for it. */
function withNote(listing: NamespaceListing, note: string | undefined): NamespaceListing {
  if (note === undefined || listing.notes?.includes(note) === true) return listing;
  const state = listing.state === 'ready' ? 'partial' : listing.state;
  return { ...listing, state, notes: [...(listing.notes ?? []), note].slice(0, maximumNotes) };
}

function bounded(
  entries: readonly (readonly [string, Namespace])[],
  objects: readonly V1Namespace[],
): NamespaceListing {
  const items = Object.fromEntries(entries.slice(0, maximumNamespaces));
  const odd = objects.filter((object) => !isNamed(object)).map(readableName);
  const listing = withNote({ state: 'ready', items }, leftOutNote(odd));
  return entries.length <= maximumNamespaces ? listing : withNote(listing, tooManyNote);
}

function isNamed({ metadata }: V1Namespace): boolean {
  return typeof metadata?.name === 'string' && metadata.name !== '';
}

function entryOf(
  { metadata, status }: V1Namespace,
  before: NamespaceListing['items'],
): readonly (readonly [string, Namespace])[] {
  const name: unknown = metadata?.name;
  if (typeof name !== 'string' || name === '') return [];
  const terminating = status?.phase === 'Terminating' || metadata?.deletionTimestamp !== undefined;
  const known = Object.hasOwn(before, name) ? before[name] : undefined;
  return [[name, known?.terminating === terminating ? known : { name, terminating }]];
}

export interface NamespaceWatchOptions {
  readonly kube: Kube;
  readonly clock: Clock;
  /** Names that are known without a list. */
  readonly known: () => readonly string[];
}

/** The namespaces of one cluster, kept current until disposed. */
export interface NamespaceWatch extends AsyncDisposable {
  readonly store: Store<NamespaceListing>;
  /** Takes up names that became known meanwhile. */
  refreshKnown(): void;
}

export function watchNamespaces({ kube, clock, known }: NamespaceWatchOptions): NamespaceWatch {
  const store = new Store<NamespaceListing>({ state: 'loading', items: {} });
  let forbidden = false;
  const watch = kube.watch<V1Namespace>(resourceTypes.namespace, undefined, {}, (event) => {
    const isRefused = event.kind === 'stale' && isSlipwayError(event.error, 'cluster.forbidden');
    // It is refused at each attempt anew, and nothing is new then.
    if (isRefused && forbidden) return;
    forbidden = isRefused;
    store.set(foldNamespaces(store.value, event, known(), () => new Date(clock.now()).toISOString()));
  });
  return {
    store,
    refreshKnown() {
      if (forbidden) store.set(knownListing(known()));
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      store[Symbol.dispose]();
    },
  };
}
