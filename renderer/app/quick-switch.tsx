import { useMemo, useState } from 'react';
import { useRemote } from '../ipc/client.ts';
import { Palette } from '../ui/palette.tsx';
import type { FrameData } from './frame-data.ts';
import { rankChoices } from './palette-score.ts';
import { routeOfCluster } from './place.ts';
import { placeChoices } from './places.ts';
import { navigate } from './route.ts';
import { rememberChoice, useView, useViewStore } from './view-state.ts';

const mostRows = 100;

/** Goes to a session, a workload, a namespace or a cluster by its name. Workloads are those of the shown namespaces. */
export function QuickSwitch({ data, onClose }: { readonly data: FrameData; readonly onClose: () => void }) {
  const { clusters, sessions, place } = data;
  const { cluster } = place;
  const store = useViewStore();
  const recent = useView((state) => state.recentPlaces);
  const lastNamespaces = useView((state) => state.lastNamespaces);
  const [query, setQuery] = useState('');
  const namespaces = useRemote(
    'clusters.namespaces',
    cluster === undefined ? undefined : { cluster: cluster.id },
  ).value;
  const workloads = useRemote(
    'workloads.list',
    cluster === undefined ? undefined : { cluster: cluster.id, namespaces: [...place.namespaces] },
  ).value;
  const choices = useMemo(
    () =>
      placeChoices({
        cluster,
        clusters,
        sessions,
        namespaces: Object.values(namespaces?.items ?? {}),
        workloads: Object.values(workloads?.items ?? {}),
        routeOf: (one) => routeOfCluster(one, lastNamespaces),
      }),
    [cluster, clusters, sessions, namespaces?.items, workloads?.items, lastNamespaces],
  );
  const ranked = useMemo(() => rankChoices(choices, query, recent), [choices, query, recent]);
  return (
    <Palette
      label="Go to a session, workload, namespace or cluster"
      query={query}
      onQuery={setQuery}
      rows={ranked.slice(0, mostRows).map(({ item, positions }) => ({
        id: item.id,
        label: item.label,
        positions,
        detail: item.detail,
      }))}
      more={Math.max(0, ranked.length - mostRows)}
      empty="Nothing that Slipway knows of has a name like that."
      onClose={onClose}
      onChoose={(id) => {
        const chosen = choices.find((choice) => choice.id === id);
        if (chosen === undefined) return;
        rememberChoice(store, 'recentPlaces', id);
        onClose();
        navigate(chosen.route);
      }}
    />
  );
}
