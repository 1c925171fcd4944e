import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import { useActions } from '../../app/actions.ts';
import { navigate, type RouteOf } from '../../app/route.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { ClusterLeftovers } from './cluster-leftovers.tsx';
import { chosenCluster, clusterLabel } from './chosen-cluster.ts';
import styles from './leftovers.module.css';

/** What dead sessions and other tools left in a cluster, and what to do about it. */
export function LeftoversPage({ route }: { readonly route: RouteOf<'leftovers'> }) {
  const clusters = useRemote('clusters.list', {});
  const counts = useRemote('leftovers.counts', {}).value?.items;
  const list = clusters.value;
  const all = (list?.order ?? []).flatMap((id) => list?.items[id] ?? []);
  const cluster = chosenCluster(route.cluster, all, counts ?? {});
  if (cluster === undefined) {
    return (
      <Page title="Leftovers">
        {clusters.error === undefined ? null : <ErrorBox error={clusters.error} />}
        {list === undefined || list.state === 'loading' ? (
          <Skeleton />
        ) : (
          <EmptyState
            title={
              route.cluster === undefined
                ? 'There is no cluster to look into'
                : 'There is no such cluster any more'
            }
            text="Leftovers are looked for in the clusters of your kubeconfig files."
            action={<Button onClick={() => navigate({ page: 'welcome' })}>Use a Cluster</Button>}
          />
        )}
      </Page>
    );
  }
  return <PageOfCluster key={cluster.id} cluster={cluster} all={all} counts={counts ?? {}} />;
}

function PageOfCluster({
  cluster,
  all,
  counts,
}: {
  readonly cluster: Cluster;
  readonly all: readonly Cluster[];
  readonly counts: Readonly<Record<string, number>>;
}) {
  const refreshing = useAction();
  const [left, setLeft] = useState<number>();
  const refresh = () => void refreshing.run('leftovers.refresh', { cluster: cluster.id });
  useActions([
    { id: 'leftovers.refresh', label: 'Look for Leftovers Again', category: 'Leftovers', run: refresh },
  ]);
  return (
    <Page
      fill
      title="Leftovers"
      subtitle={
        <>
          What nobody runs any more in <Text value={cluster.context} />
        </>
      }
      state={
        left === undefined ? undefined : <Badge tone={left === 0 ? 'ok' : 'warn'}>{left} left over</Badge>
      }
      actions={
        <>
          {all.length < 2 ? null : (
            <div className={styles['picker']}>
              <Select
                label="Cluster"
                hideLabel
                value={cluster.id}
                options={all.map((each) => ({ value: each.id, label: clusterLabel(each, counts[each.id]) }))}
                onChange={(id) => navigate({ page: 'leftovers', cluster: id })}
              />
            </div>
          )}
          <Button icon={<RotateCw />} onClick={refresh} pending={refreshing.pending}>
            Look Again
          </Button>
        </>
      }
    >
      {refreshing.error === undefined ? null : (
        <div className={styles['around']}>
          <ErrorBox error={refreshing.error} />
        </div>
      )}
      <ClusterLeftovers cluster={cluster} onCount={setLeft} onRefresh={refresh} />
    </Page>
  );
}
