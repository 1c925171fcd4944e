import type { Cluster } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { visibleLine } from '../ui/visible-text.ts';
import type { PageRoute } from './route.ts';

/** A tab of a browser shows far fewer characters of a name than this. */
const longestTitlePart = 120;

/** Where the user is: the cluster and namespaces that the frame speaks of. */
export interface Place {
  readonly cluster: Cluster | undefined;
  readonly namespaces: readonly string[];
}

/**
 * The page's own cluster where it has one, else the one that was looked at last, else the kubeconfig's current one,
 * else the first. Its namespaces are the page's, else those looked at last, else the context's own.
 */
export function placeOf(input: {
  readonly route: PageRoute;
  readonly clusters: readonly Cluster[];
  readonly sessions: readonly SessionSummary[];
  readonly last: string | undefined;
  readonly lastNamespaces: Readonly<Record<string, readonly string[]>>;
}): Place {
  const { route, clusters, sessions, last, lastNamespaces } = input;
  const session = route.page === 'session' ? sessions.find(({ id }) => id === route.session) : undefined;
  const named = 'cluster' in route ? route.cluster : session?.cluster;
  const cluster =
    clusters.find(({ id }) => id === named) ??
    (named === undefined
      ? (clusters.find(({ id }) => id === last) ?? clusters.find(({ current }) => current) ?? clusters[0])
      : undefined);
  if (route.page === 'workloads') return { cluster, namespaces: route.namespaces };
  const own = route.page === 'workload' ? route.namespace : session?.namespace;
  if (own !== undefined) return { cluster, namespaces: [own] };
  if (cluster === undefined) return { cluster, namespaces: [] };
  return { cluster, namespaces: lastNamespaces[cluster.id] ?? [cluster.namespace] };
}

/** The title of the document: what is shown, then where, then whose window it is. */
export function titleOf(route: PageRoute, place: Place, session: SessionSummary | undefined): string {
  const context = place.cluster?.context;
  const parts = {
    welcome: () => ['Welcome'],
    workloads: () => [place.namespaces.length === 1 ? place.namespaces[0] : 'Workloads', context],
    workload: () => [route.page === 'workload' ? route.name : '', context],
    session: () => [session === undefined ? 'Session' : `${session.target} session`, context],
    leftovers: () => ['Leftovers', context],
    settings: () => ['Settings'],
  }[route.page]();
  return documentTitle(parts);
}

/** Parts of a title that are there, each in one line and of a bearable length. */
export function documentTitle(parts: readonly (string | undefined)[]): string {
  return [...parts, 'Slipway']
    .filter((part): part is string => part !== undefined && part !== '')
    .map((part) => visibleLine(part, longestTitlePart))
    .join(' · ');
}

/** The page for a cluster in the rail: its namespaces as they were looked at last. */
export function routeOfCluster(
  cluster: Cluster,
  lastNamespaces: Readonly<Record<string, readonly string[]>>,
): PageRoute {
  return {
    page: 'workloads',
    cluster: cluster.id,
    namespaces: lastNamespaces[cluster.id] ?? [cluster.namespace],
  };
}
