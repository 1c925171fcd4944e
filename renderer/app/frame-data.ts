import { useEffect, useMemo, useRef } from 'react';
import type { Cluster } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { useRemote } from '../ipc/client.ts';
import { placeOf, type Place } from './place.ts';
import type { PageRoute, Route } from './route.ts';
import { countWorkloads, type WorkloadCounts } from './side-model.ts';
import { rememberPlace, useView, useViewStore } from './view-state.ts';

/** What all parts of the frame look at. */
export interface FrameData {
  readonly route: PageRoute;
  /** In the order of the rail. */
  readonly clusters: readonly Cluster[];
  readonly sessions: readonly SessionSummary[];
  readonly place: Place;
  /** The session on the page. */
  readonly session: SessionSummary | undefined;
  readonly leftovers: Readonly<Record<string, number>>;
}

const nothing = {};

/** Watches what the frame shows, and remembers where the user looked last. */
export function useFrameData(route: PageRoute): FrameData {
  const store = useViewStore();
  const last = useView((state) => state.lastCluster);
  const lastNamespaces = useView((state) => state.lastNamespaces);
  const list = useRemote('clusters.list', {}).value;
  const sessionList = useRemote('sessions.list', {}).value;
  const leftovers = useRemote('leftovers.counts', {}).value?.items ?? nothing;
  const clusters = useMemo(
    () => (list?.order ?? []).flatMap((id) => list?.items[id] ?? []),
    [list?.order, list?.items],
  );
  const sessions = useMemo(() => Object.values(sessionList?.items ?? {}), [sessionList?.items]);
  const place = useMemo(
    () => placeOf({ route, clusters, sessions, last, lastNamespaces }),
    [route, clusters, sessions, last, lastNamespaces],
  );
  const session = route.page === 'session' ? sessions.find(({ id }) => id === route.session) : undefined;
  useEffect(() => {
    if (route.page === 'workloads') rememberPlace(store, route.cluster, route.namespaces);
  }, [store, route]);
  return { route, clusters, sessions, place, session, leftovers };
}

/** Clusters whose counts are kept while others are looked at. */
const mostClusters = 20;

/**
 * Workloads by namespace as far as the pages asked for them: the frame asks for nothing that the page does not, and
 * keeps what it saw.
 */
export function useWorkloadCounts(route: Route, cluster: string | undefined): WorkloadCounts {
  const seen = useRef(new Map<string, WorkloadCounts>());
  const params =
    route.page === 'workloads' ? { cluster: route.cluster, namespaces: [...route.namespaces] } : undefined;
  const listing = useRemote('workloads.list', params).value;
  const counted = useMemo(
    () => countWorkloads(listing, params?.namespaces ?? []),
    [listing, params?.namespaces.join('/')],
  );
  return useMemo(() => {
    if (cluster === undefined) return {};
    const before = seen.current.get(cluster) ?? {};
    const now = params?.cluster === cluster ? { ...before, ...counted } : before;
    seen.current.delete(cluster);
    seen.current.set(cluster, now);
    const oldest = seen.current.keys().next().value;
    if (seen.current.size > mostClusters && oldest !== undefined) seen.current.delete(oldest);
    return now;
  }, [cluster, params?.cluster, counted]);
}
