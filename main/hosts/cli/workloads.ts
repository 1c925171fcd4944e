import type { V1Deployment, V1StatefulSet, V1DaemonSet, V1PodTemplateSpec } from '@kubernetes/client-node';
import { isSlipwayError } from '../../base/errors.ts';
import type { Kube, ResourceType } from '../../kube/kube.ts';
import { resourceTypes } from '../../kube/resource-types.ts';

/** One line of `list workloads`. */
export interface WorkloadRow {
  readonly kind: string;
  readonly name: string;
  readonly ready: number;
  readonly replicas: number;
  readonly images: readonly string[];
  readonly createdAt: string;
  /** The session that the object belongs to, when Slipway made it. */
  readonly session?: string | undefined;
}

type Workload = V1Deployment | V1StatefulSet | V1DaemonSet;

const listed: readonly ResourceType[] = [
  resourceTypes.deployment,
  resourceTypes.statefulSet,
  resourceTypes.daemonSet,
];

/** Everything in a namespace that pods come from; kinds that may not be listed are named instead of failing the rest. */
export async function listWorkloads(
  kube: Kube,
  namespace: string,
  signal?: AbortSignal,
): Promise<{ readonly rows: readonly WorkloadRow[]; readonly forbidden: readonly string[] }> {
  const answers = await Promise.all(
    listed.map(async (type) => {
      try {
        const { items } = await kube.list<Workload>(type, namespace, { signal });
        return { rows: items.map((item) => workloadRow(type.kind, item)), forbidden: [] };
      } catch (error) {
        if (isSlipwayError(error, 'cluster.forbidden')) return { rows: [], forbidden: [type.plural] };
        throw error;
      }
    }),
  );
  return {
    rows: answers.flatMap((answer) => answer.rows).sort((a, b) => a.name.localeCompare(b.name)),
    forbidden: answers.flatMap((answer) => answer.forbidden),
  };
}

function workloadRow(kind: string, object: Workload): WorkloadRow {
  const template: V1PodTemplateSpec | undefined = object.spec?.template;
  return {
    kind,
    name: object.metadata?.name ?? '',
    ...countPods(object),
    images: (template?.spec?.containers ?? []).map((container) => container.image ?? ''),
    createdAt: String(object.metadata?.creationTimestamp ?? ''),
    session: object.metadata?.labels?.['slipway.dev/session'],
  };
}

function countPods({ spec, status }: Workload): Pick<WorkloadRow, 'ready' | 'replicas'> {
  if (status !== undefined && 'numberReady' in status) {
    return { ready: status.numberReady, replicas: status.desiredNumberScheduled };
  }
  return {
    ready: (status !== undefined && 'readyReplicas' in status ? status.readyReplicas : undefined) ?? 0,
    replicas: (spec !== undefined && 'replicas' in spec ? spec.replicas : undefined) ?? 0,
  };
}
