import type { Readable } from 'node:stream';
import { systemClock, type Clock } from '../base/clock.ts';
import { isSlipwayError, type SlipwayError } from '../base/errors.ts';
import type { Kube, LogOptions } from '../kube/kube.ts';
import { readLines } from './log-lines.ts';
import { LogOverlap, parseStampedLine } from './log-overlap.ts';

const firstRetryMs = 300;
const longestRetryMs = 5_000;

/** One run of one container. */
export interface ContainerRun {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Another one after each restart, for instance the container's ID. */
  readonly run: string;
}

export type LogItem =
  /** What follows comes from this run: the first one, a restarted container, or another pod. */
  | { readonly kind: 'run'; readonly run: ContainerRun }
  | { readonly kind: 'line'; readonly timestamp: string; readonly text: string }
  /** Reading broke off and is tried again; lines that the node has dropped meanwhile are missing. */
  | { readonly kind: 'interrupted'; readonly error: SlipwayError };

export interface FollowOptions {
  readonly kube: Pick<Kube, 'logs'>;
  /** The run that is current now; waits for one when there is none. */
  readonly resolve: (signal?: AbortSignal) => Promise<ContainerRun>;
  /** How many lines of the first run's past to begin with; all of them unless said. */
  readonly tailLines?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The log of a workload, across restarts of its container, replaced pods and broken connections, without doubles.
 * Goes on until aborted; rejects only with what no retry can mend (missing rights, sign-in). Unread lines stay at
 * the server.
 */
export async function* followLogs(options: FollowOptions): AsyncGenerator<LogItem, void, undefined> {
  const { clock = systemClock, signal, resolve } = options;
  let last: ContainerRun | undefined;
  let brokeOff = false;
  let overlap = new LogOverlap();
  let waitMs = firstRetryMs;
  for (;;) {
    try {
      const run = await resolve(signal);
      const samePod = last?.pod === run.pod && last.container === run.container;
      if (!samePod) overlap = new LogOverlap();
      const restarted = samePod && last?.run !== run.run;
      const lostItsEnd = restarted && brokeOff;
      // Not asked for twice: the node may have dropped it.
      brokeOff = false;
      if (lostItsEnd) yield* readRun(options, run, overlap, { previous: true });
      if (restarted || !samePod) yield { kind: 'run', run };
      const first = last === undefined ? { tailLines: options.tailLines } : {};
      last = run;
      brokeOff = true;
      for await (const line of readRun(options, run, overlap, { ...first, follow: true })) {
        waitMs = firstRetryMs;
        yield line;
      }
      brokeOff = false;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isSlipwayError(error) || isHopeless(error)) throw error;
      if (!isWaiting(error)) yield { kind: 'interrupted', error };
    }
    // The end of a log is the end of its run, or a log file that was rotated away under the reader.
    await clock.sleep(waitMs, signal);
    waitMs = Math.min(waitMs * 2, longestRetryMs);
  }
}

async function* readRun(
  { kube, signal }: FollowOptions,
  run: ContainerRun,
  overlap: LogOverlap,
  options: Pick<LogOptions, 'follow' | 'previous' | 'tailLines'>,
): AsyncGenerator<LogItem, void, undefined> {
  const sinceTime = overlap.resume();
  const stream: Readable = await kube.logs(run, { ...options, sinceTime, timestamps: true, signal });
  try {
    for await (const text of readLines(stream)) {
      const line = parseStampedLine(text);
      if (overlap.admit(line)) yield { kind: 'line', ...line };
    }
  } finally {
    stream.destroy();
  }
}

function isHopeless(error: SlipwayError): boolean {
  return isSlipwayError(error, 'cluster.forbidden', 'cluster.unauthorized', 'cluster.certificate');
}

/** A pod that is gone or a container that has not started: the next run is on its way. */
function isWaiting(error: SlipwayError): boolean {
  return isSlipwayError(error, 'cluster.not-found', 'cluster.invalid');
}
