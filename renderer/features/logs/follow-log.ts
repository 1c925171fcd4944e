import type { DownOf, ParamsOf } from '../../../contract/api.ts';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { Client } from '../../ipc/client.ts';

export type LogTarget = ParamsOf<'logs.follow'>['target'];
type Batch = DownOf<'logs.follow'>;

/** Batches that main may send ahead: more than a second of a busy log. */
const aheadBatches = 64;
/** Between two deliveries, in milliseconds: faster than anybody reads, and there is time for everything else. */
const paceMs = 45;
/** Nothing is painted while the page is hidden; what comes is then taken at this pace, in milliseconds. */
const hiddenPaceMs = 250;

export interface LogListener {
  /** With a frame that is painted, at most once for each {@link paceMs}. */
  readonly onBatches: (batches: readonly Batch[]) => void;
  readonly onEnd: () => void;
  readonly onError: (error: ErrorValue) => void;
}

/** Follows a log. Main sends no more until what came was dealt with; returns what ends it. */
export function followLog(
  client: Client,
  target: LogTarget,
  tailLines: number,
  listener: LogListener,
): () => void {
  let waiting: Batch[] = [];
  let cancel: (() => void) | undefined;
  let delivered = -Infinity;
  const deliver = (): void => {
    cancel = undefined;
    delivered = performance.now();
    const batches = waiting;
    waiting = [];
    listener.onBatches(batches);
    stream.grant(batches.length);
  };
  const deliverNow = (): void => {
    cancel?.();
    if (waiting.length > 0) deliver();
  };
  const stream = client.open(
    'logs.follow',
    { target, tailLines },
    {
      credit: aheadBatches,
      onMessage(batch) {
        waiting.push(batch);
        cancel ??= schedule(deliver, delivered + paceMs - performance.now());
      },
      onEnd() {
        deliverNow();
        listener.onEnd();
      },
      onError(error) {
        deliverNow();
        listener.onError(error);
      },
    },
  );
  return () => {
    cancel?.();
    stream.close();
  };
}

/** Runs with the next frame after a while, and soon also when no frame is painted. */
function schedule(run: () => void, waitMs: number): () => void {
  let frame: number | undefined;
  const cancel = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(waiting);
    clearTimeout(hidden);
  };
  const once = (): void => {
    cancel();
    run();
  };
  const askFrame = (): void => {
    frame = requestAnimationFrame(once);
  };
  const waiting = waitMs > 0 ? setTimeout(askFrame, waitMs) : undefined;
  if (waiting === undefined) askFrame();
  const hidden = setTimeout(once, hiddenPaceMs);
  return cancel;
}
