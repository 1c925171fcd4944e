import type {
  KubernetesObject,
  V1Container,
  V1LabelSelector,
  V1Pod,
  V1PodSpec,
} from '@kubernetes/client-node';
import type { Workload, WorkloadKind } from '../../contract/workloads.ts';
import type { ResourceType } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';

/**
 * An object of any kind that has pods, as it arrives: JSON that the server vouches for, read with care since other
 * servers and newer versions leave things out.
 */
export interface WorkloadObject extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly completions?: number;
    readonly parallelism?: number;
    readonly selector?: V1LabelSelector;
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: V1PodSpec;
    };
    readonly containers?: readonly V1Container[];
  };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly numberReady?: number;
    readonly desiredNumberScheduled?: number;
    readonly succeeded?: number;
  };
}

export const workloadTypes: Readonly<Record<WorkloadKind, ResourceType>> = {
  Deployment: resourceTypes.deployment,
  StatefulSet: resourceTypes.statefulSet,
  DaemonSet: resourceTypes.daemonSet,
  ReplicaSet: resourceTypes.replicaSet,
  Job: resourceTypes.job,
  Pod: resourceTypes.pod,
};

/** Kinds that are listed only where nothing else controls them: otherwise their owner stands for them. */
const oftenOwned: ReadonlySet<WorkloadKind> = new Set(['ReplicaSet', 'Job', 'Pod']);

/** Key of a workload in a listing. */
export function rowKey(namespace: string, kind: string, name: string): string {
  return `${namespace}/${kind}/${name}`;
}

/** Whether an object is a workload of its own. */
export function isListed(kind: WorkloadKind, object: KubernetesObject): boolean {
  if (!oftenOwned.has(kind)) return true;
  return !(object.metadata?.ownerReferences ?? []).some((reference) => reference.controller === true);
}

/** The line of one workload, without what is said about sessions on it. */
export function rowOf(kind: WorkloadKind, object: WorkloadObject, owner: string | undefined): Workload {
  const { namespace = '', name = '', creationTimestamp } = object.metadata ?? {};
  return {
    namespace,
    kind,
    name,
    ...countPods(kind, object),
    images: podSpecOf(kind, object)?.containers?.map((container) => container.image ?? '') ?? [],
    ...(owner === undefined ? {} : { owner }),
    createdAt: String(creationTimestamp ?? ''),
    replaceable: kind === 'Deployment',
  };
}

/** The pod spec of a workload, or of the pod that it is. */
export function podSpecOf(kind: WorkloadKind, object: WorkloadObject): V1PodSpec | undefined {
  return kind === 'Pod' ? (object as unknown as V1Pod).spec : object.spec?.template?.spec;
}

/** Labels that its pods carry. */
export function podLabelsOf(kind: WorkloadKind, object: WorkloadObject): Readonly<Record<string, string>> {
  return (kind === 'Pod' ? object.metadata?.labels : object.spec?.template?.metadata?.labels) ?? {};
}

/** The two numbers as kubectl shows them. */
function countPods(kind: WorkloadKind, object: WorkloadObject): Pick<Workload, 'ready' | 'desired'> {
  const { spec, status } = object;
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return { ready: status?.readyReplicas ?? 0, desired: spec?.replicas ?? 1 };
    case 'DaemonSet':
      return { ready: status?.numberReady ?? 0, desired: status?.desiredNumberScheduled ?? 0 };
    case 'Job':
      return { ready: status?.succeeded ?? 0, desired: spec?.completions ?? 1 };
    case 'Pod':
      return countContainers(object as unknown as V1Pod);
  }
}

/** Containers of a pod that are ready; an init container that keeps running counts as one of them. */
export function countContainers({ spec, status }: V1Pod): Pick<Workload, 'ready' | 'desired'> {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter((item) => item.restartPolicy === 'Always').map((item) => item.name),
  );
  const ready = (status?.containerStatuses ?? []).filter(
    (item) => item.ready && item.state?.running !== undefined,
  ).length;
  const readySidecars = (status?.initContainerStatuses ?? []).filter(
    (item) => sidecars.has(item.name) && item.started === true && item.ready,
  ).length;
  return { ready: ready + readySidecars, desired: (spec?.containers ?? []).length + sidecars.size };
}

/** The former row when nothing differs, so that what did not change stays the same object. */
export function sameOrNew(before: Workload | undefined, after: Workload): Workload {
  if (before === undefined || JSON.stringify(before) !== JSON.stringify(after)) return after;
  return before;
}
