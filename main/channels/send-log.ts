import { setImmediate } from 'node:timers/promises';
import type { LogBatch } from '../../contract/terminals.ts';
import type { Clock } from '../base/clock.ts';
import { LogBatches } from './log-batches.ts';
import type { LogItem } from './logs.ts';

/** How long a line waits for others to travel with it. */
export const batchMs = 30;

/** Lines that are read at one stretch; then whatever else waits in this process has its turn. */
const stretchItems = 256;

/** The window's end, as far as a log goes. */
export interface LogPeer {
  readonly signal: AbortSignal;
  send(batch: LogBatch): Promise<void>;
}

/**
 * Sends a log in batches. Reading waits for the window: what it has not taken stays at the server, but for one
 * batch on its way and one that fills. Ends as the log does, and rejects when the window goes away.
 */
export async function sendLog(
  items: AsyncIterable<LogItem>,
  peer: LogPeer,
  clock: Pick<Clock, 'timer'>,
): Promise<void> {
  const queue = new LogQueue(clock);
  const sending = sendBatches(queue, peer);
  sending.catch((error: unknown) => queue.fail(error));
  try {
    let stretch = 0;
    for await (const item of items) {
      queue.add(item);
      // What the connection has already would be read to its end otherwise, megabytes without a pause.
      if (++stretch % stretchItems === 0) await setImmediate();
      while (queue.full) await queue.room();
    }
  } finally {
    queue.end();
    // Also before a failure is told: what was read before it is to be seen.
    await sending;
  }
}

async function sendBatches(queue: LogQueue, peer: LogPeer): Promise<void> {
  for (let batch = await queue.next(); batch !== undefined; batch = await queue.next()) {
    await peer.send(batch);
  }
}

/** Between the reader of a log and its sender. */
class LogQueue {
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #batches = new LogBatches();
  #ended = false;
  #due = false;
  #timer: Disposable | undefined;
  #wakeSender: () => void = () => undefined;
  #room = openPromise();

  constructor(clock: Pick<Clock, 'timer'>) {
    this.#clock = clock;
  }

  get full(): boolean {
    return this.#batches.full;
  }

  add(item: LogItem): void {
    this.#batches.add(item);
    if (this.#batches.full) this.#wakeSender();
    else this.#timer ??= this.#clock.timer(batchMs, () => this.#becomeDue());
  }

  /** Resolves when a batch was taken. */
  room(): Promise<void> {
    return this.#room.promise;
  }

  /** The next batch when it is full or its time has come; undefined at the end. */
  async next(): Promise<LogBatch | undefined> {
    while (!this.#batches.full && !(this.#due && !this.#batches.empty)) {
      if (this.#ended) break;
      await new Promise<void>((resolve) => (this.#wakeSender = resolve));
    }
    const batch = this.#batches.take();
    this.#stopTimer();
    if (!this.#batches.empty) this.#timer = this.#clock.timer(batchMs, () => this.#becomeDue());
    this.#room.resolve();
    this.#room = openPromise();
    return batch;
  }

  end(): void {
    this.#ended = true;
    this.#stopTimer();
    this.#wakeSender();
  }

  fail(error: unknown): void {
    this.#room.reject(error);
    this.#stopTimer();
  }

  #becomeDue(): void {
    this.#due = true;
    this.#wakeSender();
  }

  #stopTimer(): void {
    this.#due = false;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}

function openPromise(): PromiseWithResolvers<void> {
  const open = Promise.withResolvers<void>();
  open.promise.catch(() => undefined);
  return open;
}
