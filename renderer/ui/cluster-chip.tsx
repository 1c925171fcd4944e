import type { Cluster } from '../../contract/clusters.ts';

/** A cluster's initials on its colour; its name stands beside it, so it is silent for a screen reader. */
export function ClusterChip({
  cluster,
  className,
}: {
  readonly cluster: Pick<Cluster, 'color' | 'initials'>;
  readonly className: string | undefined;
}) {
  return (
    <span
      aria-hidden
      className={className}
      style={{
        color: `var(--cluster-${cluster.color})`,
        background: `var(--cluster-${cluster.color}-surface)`,
      }}
    >
      <bdi>{cluster.initials}</bdi>
    </span>
  );
}
