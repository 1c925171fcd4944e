import type { CoreV1Event, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { containerStatus } from './current-pod.ts';
import { timeOf } from './time-of.ts';

/** Why a dev pod is not ready. Reasons are the cluster's own, so that they can be looked up. */
export type PodVerdict =
  | { readonly kind: 'ready' }
  /** On its way. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string }
  /** Something is wrong; it may still pass, which is given up after `graceMs`. */
  | {
      readonly kind: 'problem';
      /** Reasons that alternate for one fault have one topic. */
      readonly topic: string;
      readonly reason: string;
      readonly cause: string;
      readonly next: string;
      readonly graceMs: number;
    };

export interface PodEvidence {
  readonly pod: V1Pod | undefined;
  readonly container: string;
  readonly podEvents: readonly CoreV1Event[];
  /** Of the dev object's ReplicaSet: why there is no pod. */
  readonly ownerEvents: readonly CoreV1Event[];
  readonly now: number;
}

const imageGraceMs = 12_000;
const crashGraceMs = 20_000;
const quotaGraceMs = 45_000;
/** Given up only with the whole wait: an autoscaler may add a node, a volume may still come. */
const patientMs = Number.POSITIVE_INFINITY;
/** A container that was restarted has to run for so long before it counts as running. */
const settleMs = 10_000;

/** Reads the evidence in the order in which a pod comes to life; the first thing missing is the answer. */
export function judgePod(evidence: PodEvidence): PodVerdict {
  const { pod } = evidence;
  if (pod === undefined) return judgeCreation(evidence.ownerEvents);
  const scheduling = judgeScheduling(pod);
  if (scheduling !== undefined) return scheduling;
  const statuses = pod.status?.initContainerStatuses ?? [];
  for (const status of statuses) {
    const verdict = judgeInitContainer(status);
    if (verdict !== undefined) return verdict;
  }
  const status = containerStatus(pod, evidence.container);
  const waiting = status?.state?.waiting;
  if (status?.state?.running !== undefined) return judgeRunning(status, evidence.now);
  if (status !== undefined) {
    const verdict = judgeWaiting(status);
    if (verdict !== undefined) return verdict;
  }
  return judgeByEvents(evidence.podEvents, waiting?.reason ?? pod.status?.phase ?? 'Pending');
}

function judgeCreation(events: readonly CoreV1Event[]): PodVerdict {
  const failed = latest(events, ['FailedCreate']);
  if (failed === undefined)
    return { kind: 'waiting', reason: 'Pending', message: 'The pod has not been created yet.' };
  const message = failed.message ?? '';
  const isQuota = /\bexceeded quota\b/.test(message);
  return {
    kind: 'problem',
    topic: 'create',
    reason: 'FailedCreate',
    cause: message,
    next: isQuota
      ? 'Free resources in the namespace or ask for a larger quota.'
      : 'Change what the message names, or ask who sets the policy of the namespace.',
    graceMs: isQuota ? quotaGraceMs : 5_000,
  };
}

function judgeScheduling(pod: V1Pod): PodVerdict | undefined {
  const condition = pod.status?.conditions?.find((item) => item.type === 'PodScheduled');
  if (condition?.status !== 'False') return undefined;
  const message = condition.message ?? '';
  const isVolume = /persistentvolumeclaim|volume node affinity|unbound/i.test(message);
  return {
    kind: 'problem',
    topic: 'schedule',
    reason: condition.reason ?? 'Unschedulable',
    cause: message,
    next: isVolume
      ? 'See the PersistentVolumeClaims of the pod (`kubectl describe pvc`).'
      : 'Ask for less CPU or memory, or see which nodes the pod may run on.',
    graceMs: patientMs,
  };
}

function judgeInitContainer(status: V1ContainerStatus): PodVerdict | undefined {
  const { terminated, running } = status.state ?? {};
  if (terminated?.exitCode === 0) return undefined;
  // A sidecar runs on; an init container that has to end is waited for.
  if (running !== undefined && status.started === true) return undefined;
  const verdict = judgeWaiting(status);
  if (verdict?.kind === 'problem') return verdict;
  return {
    kind: 'waiting',
    reason: 'Initializing',
    message: `Init container ${status.name} has not ended yet.`,
  };
}

function judgeRunning(status: V1ContainerStatus, now: number): PodVerdict {
  const started = timeOf(status.state?.running?.startedAt);
  const runs = started === undefined ? settleMs : now - started;
  if (status.restartCount === 0 || runs >= settleMs) return { kind: 'ready' };
  const message = `The container was restarted ${status.restartCount} times; ${lastEnd(status)}`;
  return { kind: 'waiting', reason: 'Restarted', message };
}

function judgeWaiting(status: V1ContainerStatus): PodVerdict | undefined {
  const waiting = status.state?.waiting;
  const reason = waiting?.reason ?? status.state?.terminated?.reason ?? '';
  const message = waiting?.message ?? '';
  switch (reason) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'RegistryUnavailable':
    case 'ImageInspectError':
      return imageProblem(status, reason, message, imageGraceMs);
    case 'InvalidImageName':
    case 'ErrImageNeverPull':
      return imageProblem(status, reason, message, 0);
    case 'CreateContainerConfigError':
      return {
        kind: 'problem',
        topic: 'config',
        reason,
        cause: message,
        next: 'Create what the message names (a Secret or ConfigMap), or remove the reference.',
        graceMs: 10_000,
      };
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'StartError':
    case 'ContainerCannotRun':
      return startProblem(status, reason, message || (status.state?.terminated?.message ?? ''));
    case 'CrashLoopBackOff':
      return isStartError(status)
        ? startProblem(status, reason, status.lastState?.terminated?.message ?? message)
        : crashProblem(status, reason);
    case 'Error':
    case 'OOMKilled':
    case 'Completed':
      return status.state?.terminated === undefined ? undefined : crashProblem(status, reason);
    default:
      return undefined;
  }
}

function imageProblem(
  status: V1ContainerStatus,
  reason: string,
  message: string,
  graceMs: number,
): PodVerdict {
  return {
    kind: 'problem',
    topic: 'image',
    reason,
    cause: message === '' ? `Image ${status.image} cannot be pulled.` : `Image ${status.image}: ${message}`,
    next: 'Check the name of the image and whether the namespace has the secret to pull it.',
    graceMs,
  };
}

function startProblem(status: V1ContainerStatus, reason: string, message: string): PodVerdict {
  return {
    kind: 'problem',
    topic: 'start',
    reason,
    cause: message === '' ? `Container ${status.name} cannot be started.` : message,
    next: 'Check --command and the working directory: the program has to exist in the image.',
    graceMs: 3_000,
  };
}

function crashProblem(status: V1ContainerStatus, reason: string): PodVerdict {
  return {
    kind: 'problem',
    topic: 'crash',
    reason,
    cause: `Container ${status.name} ended ${status.restartCount + (reason === 'CrashLoopBackOff' ? 0 : 1)} times; ${lastEnd(status)}`,
    next: 'See its logs with `slipway logs`, or start with --command that keeps running, such as sleep.',
    graceMs: crashGraceMs,
  };
}

function isStartError(status: V1ContainerStatus): boolean {
  const reason = status.lastState?.terminated?.reason;
  return reason === 'StartError' || reason === 'ContainerCannotRun';
}

/** The last end in words: `the last time with code 137 (OOMKilled): …`. */
function lastEnd(status: V1ContainerStatus): string {
  const end = status.state?.terminated ?? status.lastState?.terminated;
  if (end === undefined) return 'how it ended is not known.';
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : ` (${end.reason})`;
  const message = (end.message ?? '').trim();
  return `the last time with code ${end.exitCode}${reason}${message === '' ? '.' : `: ${message.slice(0, 500)}`}`;
}

const eventReasons: Readonly<Record<string, { readonly topic: string; readonly next: string }>> = {
  FailedMount: { topic: 'mount', next: 'See whether the volume, Secret or ConfigMap that it names exists.' },
  FailedAttachVolume: {
    topic: 'mount',
    next: 'See whether another pod on another node still uses the volume.',
  },
  FailedCreatePodSandBox: { topic: 'sandbox', next: 'See the node: its network or runtime does not work.' },
};

function judgeByEvents(events: readonly CoreV1Event[], phase: string): PodVerdict {
  const failed = latest(events, Object.keys(eventReasons));
  const known = eventReasons[failed?.reason ?? ''];
  if (failed !== undefined && known !== undefined) {
    const { topic, next } = known;
    return {
      kind: 'problem',
      topic,
      reason: failed.reason ?? '',
      cause: failed.message ?? '',
      next,
      graceMs: patientMs,
    };
  }
  const last = latest(events, ['Pulling', 'Pulled', 'Created', 'Scheduled']);
  return { kind: 'waiting', reason: last?.reason ?? phase, message: last?.message ?? `The pod is ${phase}.` };
}

function latest(events: readonly CoreV1Event[], reasons: readonly string[]): CoreV1Event | undefined {
  const at = (event: CoreV1Event): number =>
    timeOf(event.lastTimestamp) ?? timeOf(event.eventTime) ?? timeOf(event.metadata.creationTimestamp) ?? 0;
  return events
    .filter((event) => reasons.includes(event.reason ?? ''))
    .sort((left, right) => at(right) - at(left))[0];
}
