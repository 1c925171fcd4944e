import { detachedHash, parseDetachedRoute, type DetachedRoute } from '../../contract/detached-route.ts';
import { workloadKinds, type WorkloadKind } from '../../contract/workload-kinds.ts';

const workloadTabs = ['summary', 'preflight', 'start'] as const;
const sessionTabs = ['overview', 'sync', 'terminal', 'logs', 'ports', 'changes', 'timeline'] as const;
/** Parts of the Sync tab. */
const syncParts = ['activity', 'files', 'held', 'conflicts', 'trash'] as const;
const settingsSections = [
  'clusters',
  'kubeconfig',
  'tools',
  'appearance',
  'shortcuts',
  'sync',
  'privacy',
] as const;

/** A page within the frame and what it shows. */
export type PageRoute =
  | { readonly page: 'welcome' }
  | { readonly page: 'workloads'; readonly cluster: string; readonly namespaces: readonly string[] }
  | {
      readonly page: 'workload';
      readonly cluster: string;
      readonly namespace: string;
      readonly kind: WorkloadKind;
      readonly name: string;
      readonly tab?: (typeof workloadTabs)[number] | undefined;
    }
  | {
      readonly page: 'session';
      readonly session: string;
      readonly tab?: (typeof sessionTabs)[number] | undefined;
      /** What the Sync tab shows, and the path that is looked for in it. */
      readonly part?: SyncPart | undefined;
      readonly search?: string | undefined;
    }
  | { readonly page: 'leftovers'; readonly cluster?: string | undefined }
  | { readonly page: 'settings'; readonly section?: (typeof settingsSections)[number] | undefined };

/** One part of the Sync tab. */
export type SyncPart = (typeof syncParts)[number];

/** All that a window shows: a page, or one terminal or log alone. */
export type Route = PageRoute | DetachedRoute;

/** Longer addresses come from nobody's click. */
const mostCharacters = 16_384;

/** The address of a page: `#/workload/<cluster>/<namespace>/<kind>/<name>/<tab>` and the like. */
export function routeHash(route: Route): string {
  if (isDetached(route)) return detachedHash(route);
  return `#/${partsOf(route)
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join('/')}`;
}

/** Whether it is shown without the frame. */
export function isDetached(route: Route): route is DetachedRoute {
  return route.page === 'terminal' || route.page === 'log';
}

function partsOf(route: PageRoute): readonly (string | undefined)[] {
  switch (route.page) {
    case 'welcome':
      return ['welcome'];
    case 'workloads':
      return ['workloads', route.cluster, ...route.namespaces];
    case 'workload':
      return ['workload', route.cluster, route.namespace, route.kind, route.name, route.tab];
    case 'session':
      return ['session', route.session, route.tab, ...(route.tab === 'sync' ? syncPartsOf(route) : [])];
    case 'leftovers':
      return ['leftovers', route.cluster];
    case 'settings':
      return ['settings', route.section];
  }
}

function syncPartsOf({
  part,
  search,
}: Extract<PageRoute, { page: 'session' }>): readonly (string | undefined)[] {
  return [part, part === undefined || search === '' ? undefined : search];
}

/** The page of an address. Whatever does not name one, in full or in a part, is Welcome or the page without it. */
export function parseRoute(hash: string): Route {
  const [page, ...parts] = decodedParts(hash);
  switch (page) {
    case 'workloads': {
      const [cluster, ...namespaces] = parts;
      return cluster === undefined ? welcome : { page, cluster, namespaces };
    }
    case 'workload': {
      const [cluster, namespace, kindText, name, tab] = parts;
      const kind = workloadKinds.find((known) => known === kindText);
      if (cluster === undefined || namespace === undefined || kind === undefined || name === undefined)
        return welcome;
      return { page, cluster, namespace, kind, name, ...chosen('tab', workloadTabs, tab) };
    }
    case 'session': {
      const [session, tabText, partText, search] = parts;
      if (session === undefined) return welcome;
      const tab = chosen('tab', sessionTabs, tabText);
      const part = tab.tab === 'sync' ? chosen('part', syncParts, partText) : {};
      return {
        page,
        session,
        ...tab,
        ...part,
        ...('part' in part && search !== undefined ? { search } : {}),
      };
    }
    case 'leftovers':
      return parts[0] === undefined ? { page } : { page, cluster: parts[0] };
    case 'settings':
      return { page, ...chosen('section', settingsSections, parts[0]) };
    case 'terminal':
    case 'log':
      return parseDetachedRoute(hash) ?? welcome;
    case undefined:
    default:
      return welcome;
  }
}

const welcome: Route = { page: 'welcome' };

function chosen<Key extends string, Value extends string>(
  key: Key,
  values: readonly Value[],
  text: string | undefined,
): { readonly [K in Key]?: Value } {
  const value = values.find((known) => known === text);
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

function decodedParts(hash: string): readonly string[] {
  if (hash.length > mostCharacters || !hash.startsWith('#/')) return [];
  try {
    return hash.slice(2).split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}
