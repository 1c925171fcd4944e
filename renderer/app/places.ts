import type { Cluster, Namespace } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import type { Workload } from '../../contract/workloads.ts';
import type { Choice } from './palette-score.ts';
import { hrefOf, type Route } from './route.ts';

/** Somewhere to go to, for the quick switch. */
export interface PlaceChoice extends Choice {
  readonly route: Route;
  readonly sort: 'session' | 'workload' | 'namespace' | 'cluster' | 'page';
}

/** Everything that the quick switch offers: sessions first, then workloads, namespaces, clusters and pages. */
export function placeChoices(input: {
  readonly cluster: Cluster | undefined;
  readonly clusters: readonly Cluster[];
  readonly namespaces: readonly Namespace[];
  readonly workloads: readonly Workload[];
  readonly sessions: readonly SessionSummary[];
  readonly routeOf: (cluster: Cluster) => Route;
}): readonly PlaceChoice[] {
  const { cluster, clusters, namespaces, workloads, sessions, routeOf } = input;
  const contexts = new Map(clusters.map(({ id, context }) => [id, context]));
  const choice = (sort: PlaceChoice['sort'], label: string, detail: string, route: Route): PlaceChoice => ({
    id: hrefOf(route),
    label,
    detail,
    route,
    sort,
  });
  return [
    ...sessions.map((session) =>
      choice(
        'session',
        session.target,
        `Session in ${contexts.get(session.cluster) ?? 'a cluster that is gone'} / ${session.namespace}`,
        { page: 'session', session: session.id },
      ),
    ),
    ...(cluster === undefined
      ? []
      : [
          ...workloads.map(({ namespace, kind, name }) =>
            choice('workload', name, `${kind} in ${namespace}`, {
              page: 'workload',
              cluster: cluster.id,
              namespace,
              kind,
              name,
            }),
          ),
          ...namespaces.map(({ name }) =>
            choice('namespace', name, `Namespace in ${cluster.context}`, {
              page: 'workloads',
              cluster: cluster.id,
              namespaces: [name],
            }),
          ),
        ]),
    ...clusters.map((one) => choice('cluster', one.context, `Cluster at ${one.server}`, routeOf(one))),
    choice('page', 'Leftovers', 'Page', { page: 'leftovers', cluster: cluster?.id }),
    choice('page', 'Settings', 'Page', { page: 'settings' }),
    choice('page', 'Welcome', 'Page', { page: 'welcome' }),
  ];
}
