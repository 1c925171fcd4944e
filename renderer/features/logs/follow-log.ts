import type { DownOf, ParamsOf } from '../../../contract/api.ts';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { Client } from '../../ipc/client.ts';

export type LogTarget = ParamsOf<'logs.follow'>['target'];
type Batch = DownOf<'logs.follow'>;

/** Batches that main may send ahead: more than a second of a busy log. */
const aheadBatches = 64;
/** Nothing is painted while the page is hidden; what comes is then taken at this pace, in milliseconds. */
const hiddenPaceMs = 250;

export interface LogListener {
  /** At most once for each frame that is painted. */
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
  const deliver = (): void => {
    cancel = undefined;
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
        cancel ??= schedule(deliver);
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

/** Runs with the next frame, and soon also when no frame is painted. */
function schedule(run: () => void): () => void {
  const cancel = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = (): void => {
    cancel();
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, hiddenPaceMs);
  return cancel;
}
