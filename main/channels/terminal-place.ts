import { SlipwayError } from '../base/errors.ts';
import type { Kube, PodTarget } from '../kube/kube.ts';

/** Where a shell runs. It is looked up anew for each start, since a session's pod may be another one by then. */
export interface TerminalPlace {
  readonly title: string;
  readonly cluster: string;
  readonly session?: string | undefined;
  connect(signal: AbortSignal): Promise<PlaceConnection>;
}

export interface PlaceConnection {
  readonly kube: Pick<Kube, 'exec' | 'get'>;
  readonly target: PodTarget;
}

/** What a pod says about a container that was just cut off. */
export interface PodLook {
  readonly metadata?: { readonly deletionTimestamp?: unknown } | undefined;
  readonly status?:
    | {
        readonly containerStatuses?:
          | readonly {
              readonly name: string;
              readonly state?: { readonly running?: unknown } | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

/** Exit codes that a shell has when it is ended with its container: SIGKILL and SIGTERM. */
export function mayBeContainerEnd(code: number): boolean {
  return code === 137 || code === 143;
}

/** Whether the container itself went away under the shell; `pod` is undefined when there is none any more. */
export function containerEnded(pod: PodLook | undefined, container: string | undefined): boolean {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) return true;
  const statuses = pod.status?.containerStatuses ?? [];
  const status = statuses.find((candidate) => candidate.name === container) ?? statuses[0];
  return status !== undefined && status.state?.running === undefined;
}

export function containerGone({ namespace, pod }: PodTarget): SlipwayError {
  return new SlipwayError({
    code: 'stream.lost',
    message: `The container of pod ${namespace}/${pod} has ended, and the shell with it.`,
    cause: 'The pod was deleted, replaced or restarted.',
    next: 'Restart opens a shell in the same place as soon as a container runs there.',
  });
}
