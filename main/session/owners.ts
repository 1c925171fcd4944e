import type { V1Deployment, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { isOurs, replicasOwners } from './field-ownership.ts';

/** Who else looks after the workload, and may write to it during a session. */
export type Owner =
  | { readonly kind: 'helm'; readonly release: string; readonly namespace: string }
  | { readonly kind: 'argocd'; readonly application: string }
  | { readonly kind: 'flux-kustomization'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'flux-helmrelease'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'autoscaler'; readonly name: string; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'keda'; readonly scaledObject: string; readonly autoscaler: string }
  | { readonly kind: 'managed-by'; readonly name: string }
  | { readonly kind: 'field-manager'; readonly manager: string; readonly operation: string };

/** Owners by their own marks on the object, by the autoscalers that aim at it, and by who wrote `spec.replicas`. */
export function findOwners(
  target: V1Deployment,
  autoscalers: readonly V2HorizontalPodAutoscaler[],
): readonly Owner[] {
  const labels = target.metadata?.labels ?? {};
  const annotations = target.metadata?.annotations ?? {};
  const owners: Owner[] = [];
  const managedBy = labels['app.kubernetes.io/managed-by'];
  const release = annotations['meta.helm.sh/release-name'];
  if (release !== undefined) {
    owners.push({ kind: 'helm', release, namespace: annotations['meta.helm.sh/release-namespace'] ?? '' });
  } else if (managedBy !== undefined) {
    owners.push({ kind: 'managed-by', name: managedBy });
  }
  const application = argoApplication(labels, annotations);
  if (application !== undefined) owners.push({ kind: 'argocd', application });
  const flux = [
    ['flux-kustomization', 'kustomize.toolkit.fluxcd.io'],
    ['flux-helmrelease', 'helm.toolkit.fluxcd.io'],
  ] as const;
  for (const [kind, group] of flux) {
    const name = labels[`${group}/name`];
    if (name !== undefined) owners.push({ kind, name, namespace: labels[`${group}/namespace`] ?? '' });
  }
  for (const autoscaler of autoscalers) {
    if (aimsAt(autoscaler, target)) owners.push(autoscalerOwner(autoscaler));
  }
  for (const owner of replicasOwners(target.metadata?.managedFields)) {
    if (!isOurs(owner))
      owners.push({ kind: 'field-manager', manager: owner.manager, operation: owner.operation });
  }
  return owners;
}

function aimsAt(autoscaler: V2HorizontalPodAutoscaler, target: V1Deployment): boolean {
  const aim = autoscaler.spec?.scaleTargetRef;
  return aim?.kind === 'Deployment' && aim.name === target.metadata?.name;
}

function autoscalerOwner(autoscaler: V2HorizontalPodAutoscaler): Owner {
  const name = autoscaler.metadata?.name ?? '';
  const scaledObject =
    autoscaler.metadata?.labels?.['scaledobject.keda.sh/name'] ??
    autoscaler.metadata?.ownerReferences?.find((reference) => reference.kind === 'ScaledObject')?.name;
  if (scaledObject !== undefined) return { kind: 'keda', scaledObject, autoscaler: name };
  const { minReplicas, maxReplicas } = autoscaler.spec ?? {};
  return { kind: 'autoscaler', name, minimum: minReplicas ?? 1, maximum: maxReplicas ?? 0 };
}

/** The tracking annotation is `application:group/kind:namespace/name`; the older label alone names the instance of many tools. */
function argoApplication(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): string | undefined {
  const tracking = annotations['argocd.argoproj.io/tracking-id'];
  if (tracking !== undefined) return tracking.split(':', 1)[0];
  return labels['argocd.argoproj.io/instance'];
}

/** What an owner means for a session; undefined when it needs no words. */
export function ownerWarning(owner: Owner): string | undefined {
  switch (owner.kind) {
    case 'argocd':
      return `Argo CD application ${owner.application} manages this workload; with self-heal on it will scale it up again during the session. Pause its automated sync.`;
    case 'flux-kustomization':
      return `Flux Kustomization ${owner.namespace}/${owner.name} manages this workload and may scale it up again. Suspend it with \`flux suspend kustomization ${owner.name}\`.`;
    case 'flux-helmrelease':
      return `Flux HelmRelease ${owner.namespace}/${owner.name} manages this workload and may scale it up again. Suspend it with \`flux suspend helmrelease ${owner.name}\`.`;
    case 'keda':
      return `KEDA ScaledObject ${owner.scaledObject} scales this workload and may wake it from 0 replicas during the session. Pause it with the annotation autoscaling.keda.sh/paused.`;
    case 'autoscaler':
      return `HorizontalPodAutoscaler ${owner.name} is idle while the workload has 0 replicas, and works again after Stop.`;
    case 'helm':
      return `Helm release ${owner.release} owns this workload; an upgrade during the session may scale it up again.`;
    case 'managed-by':
    case 'field-manager':
      return undefined;
  }
}
