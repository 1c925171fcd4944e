import type { Owner } from '../session/owners.ts';

/** An owner as people name it: "Helm release shop". */
export function ownerName(owner: Owner): string {
  switch (owner.kind) {
    case 'helm':
      return `Helm release ${owner.release}`;
    case 'argocd':
      return `Argo CD application ${owner.application}`;
    case 'flux-kustomization':
      return `Flux Kustomization ${owner.name}`;
    case 'flux-helmrelease':
      return `Flux HelmRelease ${owner.name}`;
    case 'autoscaler':
      return `HorizontalPodAutoscaler ${owner.name} (${owner.minimum} to ${owner.maximum})`;
    case 'keda':
      return `KEDA ScaledObject ${owner.scaledObject}`;
    case 'managed-by':
      return `${owner.name} (managed-by label)`;
    case 'field-manager':
      return `Field manager ${owner.manager}`;
  }
}

/** Who made the workload, in one name; undefined where its marks say nothing. Who only scales it is left out. */
export function makerOf(owners: readonly Owner[]): string | undefined {
  const makers = owners.filter(({ kind }) => !['autoscaler', 'keda', 'field-manager'].includes(kind));
  // A GitOps tool above Helm is the one who writes again.
  const [first] = [...makers].sort((a, b) => Number(a.kind === 'helm') - Number(b.kind === 'helm'));
  if (first === undefined) return undefined;
  return first.kind === 'managed-by' ? first.name : ownerName(first);
}
