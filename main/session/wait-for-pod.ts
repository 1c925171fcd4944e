import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { DisposableStore } from '../base/dispose.ts';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { choosePod, podState, watchPods, type CurrentPod } from './current-pod.ts';
import { judgePod, type PodVerdict } from './judge-pod.ts';
import type { SessionRecord } from './record.ts';
import type { SessionContext } from './session.ts';

export type DevPod = CurrentPod;

/** Told when it changes: where the pod is, or what is wrong so far. */
export interface PodProgress {
  readonly reason: string;
  readonly message: string;
  readonly isProblem: boolean;
}

export interface WaitOptions {
  /** Bound on the whole wait; 120 s unless said otherwise. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: PodProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 120_000;
/** Events are asked for so often, and the verdict taken again without one: graces pass without an event. */
const tickMs = 1_000;

/** Waits until the dev container runs, telling what it waits for; rejects with cause and next step. */
export async function waitForPod(
  context: Pick<SessionContext, 'kube' | 'clock'>,
  record: SessionRecord,
  options: WaitOptions = {},
): Promise<DevPod> {
  const { clock, kube } = context;
  const { onProgress, signal, timeoutMs = defaultTimeoutMs } = options;
  let pods: ReadonlyMap<string, V1Pod> = new Map();
  let wake = new AbortController();
  await using watching = new DisposableStore();
  watching.add(
    watchPods(kube, record, (current) => {
      pods = current;
      wake.abort();
    }),
  );
  const events = eventReader(context, record, signal);
  const problems = new ProblemClock();
  const deadline = clock.monotonic() + timeoutMs;
  let said = '';
  for (;;) {
    wake = new AbortController();
    const pod = choosePod(pods.values());
    const { podEvents, ownerEvents } = await events(pod);
    const { container } = record;
    const verdict = judgePod({ pod, container, podEvents, ownerEvents, now: clock.now() });
    const state = podState(pods.values(), container);
    if (verdict.kind === 'ready' && state.kind === 'running') return state.pod;
    const progress = progressOf(verdict);
    const text = `${progress.reason} ${progress.message}`;
    if (text !== said) onProgress?.(progress);
    said = text;
    const persistedMs = problems.persisted(verdict, clock.monotonic());
    if (verdict.kind === 'problem' && persistedMs >= verdict.graceMs) throw failure(record, verdict);
    if (clock.monotonic() >= deadline) throw timeout(record, verdict, timeoutMs);
    await pause(clock, tickMs, wake.signal, signal);
  }
}

/** How long the present topic has been a problem without a break. */
export class ProblemClock {
  #topic: string | undefined;
  #since = 0;

  persisted(verdict: PodVerdict, now: number): number {
    const topic = verdict.kind === 'problem' ? verdict.topic : undefined;
    if (topic !== this.#topic) this.#since = now;
    this.#topic = topic;
    return now - this.#since;
  }
}

function progressOf(verdict: PodVerdict): PodProgress {
  switch (verdict.kind) {
    case 'ready':
      return { reason: 'Running', message: 'The container runs.', isProblem: false };
    case 'waiting':
      return { reason: verdict.reason, message: verdict.message, isProblem: false };
    case 'problem':
      return { reason: verdict.reason, message: verdict.cause, isProblem: true };
  }
}

/** Ends early when something was seen; ends with the caller's reason when cancelled. */
async function pause(
  clock: SessionContext['clock'],
  milliseconds: number,
  wake: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal === undefined ? wake : AbortSignal.any([wake, signal]));
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (!wake.aborted) throw error;
  }
}

type EventReader = (
  pod: V1Pod | undefined,
) => Promise<{ readonly podEvents: readonly CoreV1Event[]; readonly ownerEvents: readonly CoreV1Event[] }>;

/** Events of the pod, or of its ReplicaSet while there is none, at most once a tick; none where they may not be listed. */
function eventReader(
  { kube, clock }: Pick<SessionContext, 'kube' | 'clock'>,
  record: SessionRecord,
  signal: AbortSignal | undefined,
): EventReader {
  let readAt = Number.NEGATIVE_INFINITY;
  let last: readonly CoreV1Event[] = [];
  let lastSelector = '';
  return async (pod) => {
    const fieldSelector =
      pod === undefined
        ? 'involvedObject.kind=ReplicaSet'
        : `involvedObject.kind=Pod,involvedObject.uid=${pod.metadata?.uid ?? ''}`;
    if (fieldSelector !== lastSelector || clock.monotonic() - readAt >= tickMs) {
      try {
        last = (
          await kube.list<CoreV1Event>(resourceTypes.event, record.namespace, { fieldSelector, signal })
        ).items;
      } catch (error) {
        // Events only explain: without the right to them, or the network, the pod itself still tells.
        if (!isSlipwayError(error)) throw error;
      }
      readAt = clock.monotonic();
      lastSelector = fieldSelector;
    }
    if (pod !== undefined) return { podEvents: last, ownerEvents: [] };
    const prefix = `${record.devObject.name}-`;
    return { podEvents: [], ownerEvents: last.filter((event) => isOfDevObject(event, prefix, record)) };
  };
}

/** By name, and not older than the session: events of an earlier one of the same name are still there. */
function isOfDevObject(event: CoreV1Event, prefix: string, record: SessionRecord): boolean {
  const name = event.involvedObject.name ?? '';
  const isOurs = name.startsWith(prefix) && !name.slice(prefix.length).includes('-');
  const at = String(event.lastTimestamp ?? event.metadata.creationTimestamp ?? '');
  return isOurs && (at === '' || Date.parse(at) >= Date.parse(record.createdAt) - 1_000);
}

function failure(record: SessionRecord, problem: PodVerdict & { kind: 'problem' }): SlipwayError {
  return new SlipwayError({
    code: 'pod.not-ready',
    message: `The dev pod of ${record.namespace}/${record.target.name} does not start: ${problem.reason}.`,
    cause: problem.cause,
    next: problem.next,
  });
}

function timeout(record: SessionRecord, verdict: PodVerdict, timeoutMs: number): SlipwayError {
  const { reason, message } = progressOf(verdict);
  return new SlipwayError({
    code: 'pod.not-ready',
    message: `The dev pod of ${record.namespace}/${record.target.name} was not ready after ${timeoutMs / 1000} s: ${reason}.`,
    cause: message,
    next: verdict.kind === 'problem' ? verdict.next : `See \`kubectl -n ${record.namespace} describe pod\`.`,
  });
}
