import type { V1Pod } from '@kubernetes/client-node';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import type { Kube, PodTarget } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { SessionKnowledge } from './dependencies.ts';
import { podSpecOf, workloadTypes, type WorkloadObject } from './workload-rows.ts';
import type { WorkloadKey } from '../../contract/workloads.ts';

/** A container that runs, or why there is none to look into. */
export type RunningContainer =
  | {
      readonly kind: 'running';
      readonly target: PodTarget & { readonly container: string };
      readonly uid: string;
    }
  | { readonly kind: 'none'; readonly reason: string };

/** The youngest running pod of a workload that is no dev pod; reads pods and nothing else. */
export async function findRunning(
  kube: Kube,
  session: Pick<SessionKnowledge, 'selectorText' | 'keys'>,
  key: WorkloadKey & { readonly container?: string | undefined },
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<RunningContainer> {
  const container = key.container ?? podSpecOf(key.kind, object)?.containers?.[0]?.name ?? '';
  try {
    const pods = await podsOf(kube, session, key, object, signal);
    return chooseRunning(pods, container, session.keys.session);
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) {
      return { kind: 'none', reason: 'You may not list pods, so no container could be looked into.' };
    }
    throw error;
  }
}

async function podsOf(
  kube: Kube,
  session: Pick<SessionKnowledge, 'selectorText'>,
  { kind, namespace }: WorkloadKey,
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<readonly V1Pod[]> {
  if (kind === 'Pod') return [object as unknown as V1Pod];
  const labelSelector = session.selectorText(object.spec?.selector);
  // Without a selector every pod of the namespace would be taken for one of its own.
  if (labelSelector === '') return [];
  const { items } = await kube.list<V1Pod>(resourceTypes.pod, namespace, { labelSelector, signal });
  return items;
}

/** The youngest pod whose container runs. */
export function chooseRunning(
  pods: readonly V1Pod[],
  container: string,
  sessionLabel: string,
): RunningContainer {
  const candidates = pods
    .filter(
      (pod) =>
        pod.metadata?.deletionTimestamp === undefined && pod.metadata?.labels?.[sessionLabel] === undefined,
    )
    .sort((a, b) =>
      String(b.metadata?.creationTimestamp).localeCompare(String(a.metadata?.creationTimestamp)),
    );
  const pod = candidates.find(({ status }) =>
    status?.containerStatuses?.some((item) => item.name === container && item.state?.running !== undefined),
  );
  if (pod === undefined) {
    const reason =
      candidates.length === 0
        ? 'The workload has no pod of its own now, so there is no container to look into.'
        : `Container ${container} does not run in any of its pods now.`;
    return { kind: 'none', reason };
  }
  const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
  return { kind: 'running', target: { namespace, pod: name, container }, uid };
}

export async function readWorkload(
  kube: Kube,
  { kind, namespace, name }: WorkloadKey,
  signal: AbortSignal,
): Promise<WorkloadObject> {
  try {
    return await kube.get<WorkloadObject>(workloadTypes[kind], { namespace, name }, { signal });
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.not-found')) throw error;
    throw new SlipwayError({
      code: 'workload.not-found',
      message: `There is no ${kind} ${name} in namespace ${namespace}.`,
      cause: 'It was deleted, or it never was there.',
      next: 'Choose another workload.',
      origin: error,
    });
  }
}

export type ShellAnswer =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string }
  /** It ran out of time or said too much: what it said until then. */
  | { readonly kind: 'cut'; readonly output: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly code?: ErrorCode | undefined };

export interface ShellQuestion {
  readonly script: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly limitBytes: number;
}

/** Runs a script that only looks, in a running container; a refusal is an answer and no failure. */
export async function askShell(
  { kube, clock, target }: { readonly kube: Kube; readonly clock: Clock; readonly target: PodTarget },
  { script, args, timeoutMs, limitBytes }: ShellQuestion,
  signal: AbortSignal,
): Promise<ShellAnswer> {
  const chunks: Buffer[] = [];
  const cut = new AbortController();
  const output = (): string => Buffer.concat(chunks).toString('utf8');
  using _timer = clock.timer(timeoutMs, () => cut.abort());
  const either = AbortSignal.any([signal, cut.signal]);
  try {
    await using stream = await kube.exec(target, {
      command: ['sh', '-c', script, 'sh', ...args],
      // Some runtimes end an exec early when it has no input.
      stdin: true,
      signal: either,
    });
    stream.stdin?.on('error', () => undefined);
    stream.stderr?.on('error', () => undefined).resume();
    let length = 0;
    for await (const chunk of stream.stdout as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limitBytes) return { kind: 'cut', output: output() };
    }
    const status = await stream.status;
    if (status.kind === 'exited') return { kind: 'ended', code: status.code, output: output() };
    return {
      kind: 'refused',
      reason: status.kind === 'failed' ? status.message : 'The connection was lost.',
    };
  } catch (error) {
    signal.throwIfAborted();
    if (cut.signal.aborted) return { kind: 'cut', output: output() };
    if (!isSlipwayError(error)) throw error;
    return { kind: 'refused', reason: `${error.message} ${error.causeText}`.trim(), code: error.code };
  }
}
