import type { V1Pod } from '@kubernetes/client-node';

/** A workload by kind and name. */
export interface PodOwner {
  readonly kind: string;
  readonly name: string;
}

/**
 * Whether a pod comes from a workload, by what the pod itself says: for who may not read the workload and so does
 * not know its selector. A Deployment owns its pods through a ReplicaSet, whose name is its own and the hash of the
 * pod's template.
 */
export function isPodOf(pod: V1Pod, owner: PodOwner): boolean {
  const hash = pod.metadata?.labels?.['pod-template-hash'];
  const wanted =
    owner.kind === 'Deployment' ? { kind: 'ReplicaSet', name: `${owner.name}-${hash ?? ''}` } : owner;
  return (pod.metadata?.ownerReferences ?? []).some(
    ({ controller, kind, name }) => controller === true && kind === wanted.kind && name === wanted.name,
  );
}
