import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { PodSummary } from '../../contract/workloads.ts';
import { countContainers } from './workload-rows.ts';

/** What the page of a workload says about one of its pods. */
export function podSummary(pod: V1Pod): PodSummary {
  const { ready, desired } = countContainers(pod);
  const reason = podReason(pod);
  return {
    name: pod.metadata?.name ?? '',
    phase: phaseOf(pod),
    ready: desired > 0 && ready === desired,
    restarts: (pod.status?.containerStatuses ?? []).reduce((sum, item) => sum + (item.restartCount ?? 0), 0),
    ...(pod.spec?.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
    createdAt: String(pod.metadata?.creationTimestamp ?? ''),
    ...(reason === undefined ? {} : { reason }),
    containers: (pod.spec?.containers ?? []).map((container) => container.name),
  };
}

function phaseOf(pod: V1Pod): string {
  return pod.metadata?.deletionTimestamp === undefined ? (pod.status?.phase ?? 'Unknown') : 'Terminating';
}

/** Why a pod is not ready, in the words of whoever knows: what comes first is what stands in the way first. */
export function podReason(pod: V1Pod): string | undefined {
  const { status } = pod;
  if (pod.metadata?.deletionTimestamp !== undefined) return 'It is being deleted.';
  const unscheduled = status?.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  if (unscheduled !== undefined) return sentence(unscheduled.reason, unscheduled.message);
  if (status?.phase === 'Failed' && (status.reason ?? status.message) !== undefined) {
    return sentence(status.reason, status.message);
  }
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const reasons = statuses.flatMap((item) => containerReason(item) ?? []);
  if (reasons.length > 0) return reasons.join(' ');
  if (status?.phase === 'Succeeded') return undefined;
  const unready = status?.conditions?.find(
    (condition) => condition.type === 'Ready' && condition.status === 'False',
  );
  return unready === undefined ? undefined : sentence(unready.reason, unready.message);
}

/** What the kubelet says again of which container it means, with the pod's UID. */
const repeatedNames = / container=\S+ pod=\S+$/;

function containerReason({ name, state, lastState }: V1ContainerStatus): string | undefined {
  if (state?.waiting !== undefined) {
    const { reason, message } = state.waiting;
    // Every container waits like this for a moment.
    if (reason === 'ContainerCreating' || reason === 'PodInitializing') return undefined;
    const before = lastState?.terminated;
    const end = before === undefined ? '' : ` Last end: ${ending(before)}`;
    return `${name}: ${sentence(reason, message?.replace(repeatedNames, ''))}${end}`;
  }
  if (state?.terminated !== undefined && state.terminated.exitCode !== 0) {
    return `${name}: ${ending(state.terminated)}`;
  }
  return undefined;
}

function ending({
  reason,
  exitCode,
  signal,
  message,
}: {
  readonly reason?: string;
  readonly exitCode: number;
  readonly signal?: number;
  readonly message?: string;
}): string {
  const how = signal === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}, signal ${signal}`;
  return sentence(`${reason ?? 'Terminated'} (${how})`, message);
}

/** Bound on what a kubelet or a program may say in one place. */
const maximumLength = 1_000;

function sentence(reason: string | undefined, message: string | undefined): string {
  const text = [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
  const short = text.length > maximumLength ? `${text.slice(0, maximumLength)}…` : text;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
