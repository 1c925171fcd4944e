import type { Cluster } from '../../../contract/clusters.ts';

/** The cluster of the address; without one, the one that has most left over, else the current one. */
export function chosenCluster(
  asked: string | undefined,
  all: readonly Cluster[],
  counts: Readonly<Record<string, number>>,
): Cluster | undefined {
  if (asked !== undefined) return all.find(({ id }) => id === asked);
  const most = all
    .filter(({ id }) => (counts[id] ?? 0) > 0)
    .toSorted((left, right) => (counts[right.id] ?? 0) - (counts[left.id] ?? 0))[0];
  return most ?? all.find(({ current }) => current) ?? all[0];
}

export function clusterLabel(cluster: Cluster, count: number | undefined): string {
  return count === undefined || count === 0 ? cluster.context : `${cluster.context} (${count})`;
}
