import { systemClock, type Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/dispose.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { Kube, PodTarget } from '../kube/kube.ts';
import { ProtocolError } from './check-message.ts';
import type { BandwidthLimits, HelperConnection, HelperConnectionOptions } from './connection.ts';
import { Downstream } from './downstream.ts';
import { asConnectionError, remotePathMissing, streamStalled } from './helper-errors.ts';
import { HelperProcess, whileAlive } from './helper-process.ts';
import { Upstream } from './upstream.ts';

/** How long a helper may take to answer hello, and to begin watching a large tree. */
const helloTimeoutMs = 20_000;
const watchTimeoutMs = 120_000;

export interface ConnectHelperOptions extends HelperConnectionOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  /** Path of the injected helper in the container. */
  readonly helperPath: string;
  /** Names this pair's trash and epoch in the helper's folder: lower-case letters, digits and '-', at most 64. */
  readonly pair: string;
  readonly clock?: Clock | undefined;
}

/**
 * Starts the two helper processes of a pair and resolves when both are ready: from then on every change in the
 * container is pushed. Rejects with `helper.*`, `stream.*` or `sync.remote-path-missing`, leaving nothing behind.
 */
export async function connectHelper(options: ConnectHelperOptions): Promise<HelperConnection> {
  const clock = options.clock ?? systemClock;
  const opened = new DisposableStore();
  try {
    const [up, down] = await openBoth(options, clock, opened);
    const upstream = opened.add(new Upstream(up, clock));
    const downstream = opened.add(new Downstream(down, clock));
    const limits = { clock, ms: helloTimeoutMs, late: () => streamStalled('start'), signal: options.signal };
    const hello = whileAlive(down, downstream.hello, limits);
    hello.catch(() => undefined);
    const ready = await whileAlive(up, upstream.hello(options, options.pair), limits);
    const clockOffset = whileAlive(up, upstream.measureClock(), limits);
    clockOffset.catch(() => undefined);
    await hello;
    const root = await whileAlive(down, downstream.configure(options), { ...limits, ms: watchTimeoutMs });
    if (ready.root?.inode !== root.inode || ready.root.device !== root.device) {
      throw new ProtocolError('The two helper processes see different folders');
    }
    const lost = firstEnd(up, down);
    void lost.then((error) => {
      up.end(error);
      down.end(error);
    });
    let set: BandwidthLimits = {};
    return {
      root,
      clockOffsetMs: await clockOffset,
      remoteUmask: ready.umask,
      remoteUid: ready.uid,
      onChanges: downstream.onChanges,
      onWatchState: downstream.onWatchState,
      lost,
      scan: ({ below, signal }) => downstream.scan(below, signal),
      readContent: (paths, more) => downstream.readContent(paths, more),
      sign: (path, signal) => downstream.sign(path, signal),
      checksums: (paths, signal) => downstream.checksums(paths, signal),
      apply: (items, priority) => upstream.apply(items, priority),
      get sliceBytes() {
        return upstream.sliceBytes;
      },
      health: () => ({ up: upstream.life, down: downstream.life, limits: set }),
      limitBandwidth: (limited) => {
        const { upBytesPerSecond, downBytesPerSecond } = (set = limited);
        upstream.limit(upBytesPerSecond);
        downstream.limit(downBytesPerSecond);
      },
      async listTrash() {
        const answer = await upstream.listTrash();
        return { items: answer.items, totalBytes: Number(answer.totalBytes) };
      },
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  } catch (error) {
    await opened[Symbol.asyncDispose]().catch(() => undefined);
    options.signal?.throwIfAborted();
    const failure = asConnectionError(error);
    // Only here is it known which folder was meant.
    throw failure.code === 'sync.remote-path-missing'
      ? remotePathMissing(failure.causeText, options.root)
      : failure;
  }
}

async function openBoth(
  options: ConnectHelperOptions,
  clock: Clock,
  opened: DisposableStore,
): Promise<readonly [HelperProcess, HelperProcess]> {
  const open = async (direction: 'upstream' | 'downstream'): Promise<HelperProcess> => {
    const command = [options.helperPath, 'sync', direction];
    const stream = await options.kube.exec(options.target, { command, stdin: true, signal: options.signal });
    return opened.add(new HelperProcess(stream, clock));
  };
  const [up, down] = await Promise.allSettled([open('upstream'), open('downstream')]);
  if (up.status === 'rejected') throw up.reason;
  if (down.status === 'rejected') throw down.reason;
  return [up.value, down.value];
}

function firstEnd(up: HelperProcess, down: HelperProcess): Promise<SlipwayError> {
  return Promise.race([up.ended, down.ended]);
}
