import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { Kube } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { keys } from './names.ts';
import type { SessionRecord } from './record.ts';
import { timeOf } from './time-of.ts';

/** One run of the dev container. Pod UID, container id and restart count together tell one from the next. */
export interface CurrentPod {
  readonly name: string;
  readonly uid: string;
  readonly container: string;
  readonly containerId: string;
  readonly restarts: number;
  /** As its readiness probe has it; Services send traffic only then. */
  readonly ready: boolean;
}

export type PodState =
  | { readonly kind: 'running'; readonly pod: CurrentPod }
  /** There is a pod, but its container does not run (yet, or between two runs). */
  | { readonly kind: 'starting'; readonly name: string }
  | { readonly kind: 'none' }
  /** The watch lost its connection: what was said last may be out of date. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** The newest pod that is not on its way out; ending ones only count when there is no other. */
export function choosePod(pods: Iterable<V1Pod>): V1Pod | undefined {
  const age = (pod: V1Pod): number => timeOf(pod.metadata?.creationTimestamp) ?? 0;
  return [...pods]
    .filter((pod) => pod.metadata?.deletionTimestamp === undefined)
    .filter((pod) => pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded')
    .sort((left, right) => age(right) - age(left))[0];
}

export function containerStatus(pod: V1Pod, container: string): V1ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === container);
}

/** The state of the dev container, from the pods that carry the session's label. */
export function podState(pods: Iterable<V1Pod>, container: string): PodState {
  const pod = choosePod(pods);
  if (pod === undefined) return { kind: 'none' };
  const name = pod.metadata?.name ?? '';
  const status = containerStatus(pod, container);
  if (status?.state?.running === undefined || status.containerID === undefined)
    return { kind: 'starting', name };
  return {
    kind: 'running',
    pod: {
      name,
      uid: pod.metadata?.uid ?? '',
      container,
      containerId: status.containerID,
      restarts: status.restartCount,
      ready: status.ready,
    },
  };
}

/** Follows the dev pod of a session. Tells the first state, and each that differs from the one before. */
export function observePod(
  kube: Kube,
  record: Pick<SessionRecord, 'namespace' | 'session' | 'container'>,
  listener: (state: PodState) => void,
): AsyncDisposable {
  let said = '';
  return watchPods(kube, record, (pods, reason) => {
    const state: PodState =
      reason === undefined ? podState(pods.values(), record.container) : { kind: 'unknown', reason };
    const text = JSON.stringify(state);
    if (text === said) return;
    said = text;
    listener(state);
  });
}

/** The session's pods by UID, after each event; with a reason while the watch is out of touch. */
export function watchPods(
  kube: Kube,
  record: Pick<SessionRecord, 'namespace' | 'session'>,
  listener: (pods: ReadonlyMap<string, V1Pod>, reason: string | undefined) => void,
): AsyncDisposable {
  const pods = new Map<string, V1Pod>();
  const uidOf = (pod: V1Pod): string => pod.metadata?.uid ?? '';
  const labelSelector = `${keys.session}=${record.session}`;
  return kube.watch<V1Pod>(resourceTypes.pod, record.namespace, { labelSelector }, (event) => {
    switch (event.kind) {
      case 'reset':
        pods.clear();
        for (const pod of event.items) pods.set(uidOf(pod), pod);
        break;
      case 'added':
      case 'modified':
        pods.set(uidOf(event.object), event.object);
        break;
      case 'deleted':
        pods.delete(uidOf(event.object));
        break;
      case 'stale':
        return listener(pods, event.error.message);
    }
    listener(pods, undefined);
  });
}
