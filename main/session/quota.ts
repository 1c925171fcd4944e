import type { V1Pod, V1ResourceQuota, V1ScopedResourceSelectorRequirement } from '@kubernetes/client-node';
import { isCharged, podUsage } from './pod-usage.ts';
import { formatQuantity, parseQuantity, type Quantity } from './quantity.ts';

export type QuotaVerdict =
  /** `tight`: fits only after the target's pods are gone, so the dev pod has to wait for that. */
  | { readonly kind: 'fits'; readonly tight: boolean }
  | { readonly kind: 'exceeded'; readonly problems: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface QuotaInput {
  readonly quotas: readonly V1ResourceQuota[];
  /** Pods that end when the target is scaled to 0. */
  readonly freed: readonly V1Pod[];
  /** The dev pod as the server would store it, with defaults injected. */
  readonly added: V1Pod;
  /** Other objects that a session creates, under the quota's names. */
  readonly addedObjects: ReadonlyMap<string, number>;
}

/** What a session creates beside its pod. */
export const sessionObjects: ReadonlyMap<string, number> = new Map([
  ['count/deployments.apps', 1],
  ['count/replicasets.apps', 1],
  ['count/leases.coordination.k8s.io', 1],
]);

/** Counts used − freed + new against every hard limit of every quota that covers the dev pod. */
export function judgeQuota(input: QuotaInput): QuotaVerdict {
  const problems: string[] = [];
  let tight = false;
  for (const quota of input.quotas) {
    for (const [resource, hardText] of Object.entries(quota.status?.hard ?? quota.spec?.hard ?? {})) {
      const hard = parseQuantity(hardText);
      const used = parseQuantity(quota.status?.used?.[resource] ?? '0');
      if (hard === undefined || used === undefined) continue;
      const added = addition(quota, resource, input);
      if (added === 0n) continue;
      const freed = freedBy(quota, resource, input.freed);
      if (used - freed + added > hard) {
        problems.push(
          `${quota.metadata?.name ?? 'quota'}: ${resource} would be ${formatQuantity(used - freed + added)} of ${formatQuantity(hard)} ` +
            `(${formatQuantity(used)} used, ${formatQuantity(freed)} freed, ${formatQuantity(added)} new)`,
        );
      } else if (used + added > hard) {
        tight = true;
      }
    }
  }
  return problems.length > 0 ? { kind: 'exceeded', problems } : { kind: 'fits', tight };
}

function addition(quota: V1ResourceQuota, resource: string, input: QuotaInput): Quantity {
  const objects = input.addedObjects.get(resource);
  if (objects !== undefined) return BigInt(objects) * 1_000_000_000n;
  return covers(quota, input.added) ? (podUsage(input.added.spec).get(resource) ?? 0n) : 0n;
}

function freedBy(quota: V1ResourceQuota, resource: string, pods: readonly V1Pod[]): Quantity {
  return pods
    .filter((pod) => isCharged(pod) && covers(quota, pod))
    .reduce((sum, pod) => sum + (podUsage(pod.spec).get(resource) ?? 0n), 0n);
}

/** Whether the quota counts this pod, by its scopes; all of them have to match. */
export function covers(quota: V1ResourceQuota, pod: V1Pod): boolean {
  const requirements: V1ScopedResourceSelectorRequirement[] = [
    ...(quota.spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(quota.spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return requirements.every((requirement) => matchesScope(requirement, pod));
}

function matchesScope(requirement: V1ScopedResourceSelectorRequirement, pod: V1Pod): boolean {
  const terminating = pod.spec?.activeDeadlineSeconds !== undefined;
  switch (requirement.scopeName) {
    case 'Terminating':
      return terminating;
    case 'NotTerminating':
      return !terminating;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesPriorityClass(requirement, pod.spec?.priorityClassName);
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod);
    default:
      // A scope that is newer than this: counting the pod is the careful reading.
      return true;
  }
}

function isBestEffort(pod: V1Pod): boolean {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers.every((container) =>
    [container.resources?.requests, container.resources?.limits].every(
      (amounts) => amounts?.['cpu'] === undefined && amounts?.['memory'] === undefined,
    ),
  );
}

function matchesPriorityClass(
  requirement: V1ScopedResourceSelectorRequirement,
  name: string | undefined,
): boolean {
  const named = name !== undefined && name !== '';
  const listed = named && (requirement.values ?? []).includes(name);
  switch (requirement.operator) {
    case 'In':
      return listed;
    case 'NotIn':
      return !listed;
    case 'DoesNotExist':
      return !named;
    default:
      return named;
  }
}

function hasCrossNamespaceAffinity(pod: V1Pod): boolean {
  return [pod.spec?.affinity?.podAffinity, pod.spec?.affinity?.podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        (term) => term.podAffinityTerm,
      ),
    ].some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined),
  );
}
