import type { V1Pod } from '@kubernetes/client-node';
import type { ContainerRef } from './pod-source.ts';

/** Why no container can be used; `message` is a sentence. */
export type PodChoice =
  | { readonly kind: 'running'; readonly ref: ContainerRef }
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'container-unknown'; readonly message: string };

/**
 * Which container a selector means: the one in use as long as it runs, otherwise that of the youngest running
 * pod. A pod that is being deleted is no candidate.
 */
export function choosePod(
  pods: readonly V1Pod[],
  options: {
    readonly container?: string | undefined;
    /** What is wanted belongs to the whole pod, like its ports: whichever container runs will do. */
    readonly anyContainer?: boolean | undefined;
    readonly inUse?: ContainerRef | undefined;
  },
): PodChoice {
  const alive = pods
    .filter((pod) => pod.metadata?.deletionTimestamp === undefined && pod.status?.phase === 'Running')
    .sort((a, b) => createdAt(b) - createdAt(a));
  const kept = alive.find((pod) => pod.metadata?.uid === options.inUse?.uid);
  const ordered = kept === undefined ? alive : [kept, ...alive.filter((pod) => pod !== kept)];
  if (ordered[0] === undefined) {
    return {
      kind: 'none',
      message: pods.length === 0 ? 'No pod matches.' : `Of ${pods.length} matching pods none is running.`,
    };
  }
  const anyContainer = options.container === undefined && options.anyContainer === true;
  const unknown = anyContainer ? undefined : checkContainer(ordered[0], options.container);
  if (unknown !== undefined) return { kind: 'container-unknown', message: unknown };
  for (const pod of ordered) {
    const names = anyContainer ? containerNames(pod) : [options.container ?? containerNames(pod)[0] ?? ''];
    const ref = names.map((name) => runningContainer(pod, name)).find((found) => found !== undefined);
    if (ref !== undefined) return { kind: 'running', ref };
  }
  return { kind: 'none', message: 'The container is not running.' };
}

function checkContainer(pod: V1Pod, asked: string | undefined): string | undefined {
  const names = containerNames(pod);
  if (asked !== undefined && !names.includes(asked)) {
    return `Pod ${pod.metadata?.name ?? ''} has no container ${asked}; it has ${names.join(', ')}.`;
  }
  if (asked === undefined && names.length > 1) {
    return `Pod ${pod.metadata?.name ?? ''} has several containers: ${names.join(', ')}.`;
  }
  return undefined;
}

function containerNames(pod: V1Pod): readonly string[] {
  return pod.spec?.containers.map((container) => container.name) ?? [];
}

function runningContainer(pod: V1Pod, container: string): ContainerRef | undefined {
  const status = pod.status?.containerStatuses?.find((candidate) => candidate.name === container);
  if (status?.state?.running === undefined || status.containerID === undefined) return undefined;
  return {
    namespace: pod.metadata?.namespace ?? '',
    pod: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    container,
    containerId: status.containerID,
  };
}

function createdAt(pod: V1Pod): number {
  return new Date(pod.metadata?.creationTimestamp ?? 0).getTime();
}
