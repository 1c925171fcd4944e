import { createContext, useContext } from 'react';
import { createStore, useStore, type StoreApi } from 'zustand';
import type { StartForm, WorkloadKey } from '../../contract/workloads.ts';
import { remembered } from './palette-score.ts';

/** What the window itself remembers: nothing that main has to know. */
interface ViewState {
  /** The side is hidden by the user (wide windows), or shown over the page (narrow ones). */
  readonly side: 'shown' | 'hidden';
  readonly sideOverlay: boolean;
  readonly dockOpen: boolean;
  /** In rem, so that it follows the zoom. */
  readonly dockHeight: number;
  readonly lastCluster: string | undefined;
  /** What was looked at last, by the cluster's id. */
  readonly lastNamespaces: Readonly<Record<string, readonly string[]>>;
  readonly recentActions: readonly string[];
  readonly recentPlaces: readonly string[];
  /** What the next start of a workload begins with, the latest last; forgotten with the window: forms have secrets. */
  readonly starts: readonly KnownStart[];
  /** What is open above the page. */
  readonly overlay: 'none' | 'commands' | 'places' | 'shortcuts';
}

/** What is known of a session that may be started: at least the workload and the folder. */
export type KnownStart = WorkloadKey & Partial<StartForm> & { readonly folder: string };

export type ViewStore = StoreApi<ViewState>;

const storageKey = 'slipway.view';
/** Bounds of the dock's height, in rem. */
export const dockRem = { least: 6, most: 60, step: 1, usual: 15 } as const;
/** Workloads whose last start is remembered. */
const mostStarts = 20;
/** Clusters whose namespaces are remembered. */
const mostClusters = 100;

const initial: ViewState = {
  side: 'shown',
  sideOverlay: false,
  dockOpen: false,
  dockHeight: dockRem.usual,
  lastCluster: undefined,
  lastNamespaces: {},
  recentActions: [],
  recentPlaces: [],
  starts: [],
  overlay: 'none',
};

/** The view's state as it was left, kept in `storage` from now on. */
export function createViewStore(storage: Pick<Storage, 'getItem' | 'setItem'>): ViewStore {
  const store = createStore<ViewState>()(() => ({ ...initial, ...kept(storage) }));
  store.subscribe(({ sideOverlay: _overlaid, overlay: _overlay, starts: _starts, ...lasting }) => {
    try {
      storage.setItem(storageKey, JSON.stringify(lasting));
    } catch {
      // A full or closed storage costs the memory of the view, nothing else.
    }
  });
  return store;
}

function kept(storage: Pick<Storage, 'getItem'>): Partial<ViewState> {
  try {
    const value: unknown = JSON.parse(storage.getItem(storageKey) ?? '{}');
    return typeof value === 'object' && value !== null ? checked(value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What was kept may be from another version: each part is taken only when it is what it should be. */
function checked(value: Record<string, unknown>): Partial<ViewState> {
  const { side, dockOpen, dockHeight, lastCluster, lastNamespaces, recentActions, recentPlaces } = value;
  return {
    ...(side === 'shown' || side === 'hidden' ? { side } : {}),
    ...(typeof dockOpen === 'boolean' ? { dockOpen } : {}),
    ...(typeof dockHeight === 'number' ? { dockHeight: clampDock(dockHeight) } : {}),
    ...(typeof lastCluster === 'string' ? { lastCluster } : {}),
    ...(isTexts(recentActions) ? { recentActions } : {}),
    ...(isTexts(recentPlaces) ? { recentPlaces } : {}),
    ...(typeof lastNamespaces === 'object' && lastNamespaces !== null
      ? {
          lastNamespaces: Object.fromEntries(
            Object.entries(lastNamespaces)
              .filter((entry): entry is [string, readonly string[]] => isTexts(entry[1]))
              .slice(-mostClusters),
          ),
        }
      : {}),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 1000 && value.every((one) => typeof one === 'string');
}

export function clampDock(rem: number): number {
  return Math.min(dockRem.most, Math.max(dockRem.least, rem));
}

/** Remembers which cluster and namespaces are looked at. */
export function rememberPlace(store: ViewStore, cluster: string, namespaces: readonly string[]): void {
  const { lastCluster, lastNamespaces } = store.getState();
  if (lastCluster === cluster && lastNamespaces[cluster]?.join('/') === namespaces.join('/')) return;
  const others = Object.entries(lastNamespaces).filter(([id]) => id !== cluster);
  store.setState({
    lastCluster: cluster,
    lastNamespaces: Object.fromEntries([...others.slice(1 - mostClusters), [cluster, namespaces]]),
  });
}

/** Remembers what the start form of a workload begins with. */
export function rememberStart(store: ViewStore, start: KnownStart): void {
  const others = store.getState().starts.filter((known) => !isSameWorkload(known, start));
  store.setState({ starts: [...others.slice(1 - mostStarts), start] });
}

/** What the start form of a workload begins with, if anything is known. */
export function knownStart(store: ViewStore, workload: WorkloadKey): KnownStart | undefined {
  return store.getState().starts.find((known) => isSameWorkload(known, workload));
}

function isSameWorkload(a: WorkloadKey, b: WorkloadKey): boolean {
  return a.cluster === b.cluster && a.namespace === b.namespace && a.kind === b.kind && a.name === b.name;
}

export function rememberChoice(store: ViewStore, list: 'recentActions' | 'recentPlaces', id: string): void {
  store.setState({ [list]: remembered(store.getState()[list], id) });
}

export const ViewContext = createContext<ViewStore | undefined>(undefined);

export function useViewStore(): ViewStore {
  const store = useContext(ViewContext);
  if (store === undefined) throw new Error('There is no ViewContext above');
  return store;
}

export function useView<Part>(select: (state: ViewState) => Part): Part {
  return useStore(useViewStore(), select);
}
