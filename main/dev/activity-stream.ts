import type { ActivityBatch } from '../../contract/sessions.ts';
import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { ActivityRing } from './activity-ring.ts';

/** Between two batches, so that a window draws once for many files. */
export const batchMs = 50;
/** Files of one batch: 20,000 a second at most reach a window. */
const batchItems = 1000;
/** Files of before that a window is told of when it opens. */
const earlierItems = 1000;

export interface ActivityPeer {
  readonly signal: AbortSignal;
  send(batch: ActivityBatch): Promise<void>;
}

/**
 * Tells a window of the files that travel until it goes or the session is over. A window that does not take them
 * holds up nobody: it misses what the ring has not kept, and is told how many.
 */
export async function streamActivity(
  parts: {
    readonly ring: ActivityRing;
    readonly onAdded: Event<void>;
    /** Resolves when no more files travel. */
    readonly over: Promise<void>;
    readonly clock: Clock;
  },
  peer: ActivityPeer,
): Promise<void> {
  const { ring, onAdded, over, clock } = parts;
  const { signal } = peer;
  let position = Math.max(0, ring.end - earlierItems);
  let wake: () => void = () => undefined;
  using _listening = onAdded(() => wake());
  let isOver = false;
  void over.then(() => {
    isOver = true;
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!signal.aborted) {
      if (position === ring.end) {
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (signal.aborted) return;
      }
      const { batch, next } = ring.read(position, batchItems);
      position = next;
      if (batch.items.length > 0 || batch.skipped > 0) await peer.send(batch);
      await clock.sleep(batchMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
