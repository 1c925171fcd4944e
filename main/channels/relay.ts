import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { PeerCheck } from './port-holder.ts';

/** How long a local program that has ended its sending may wait for an answer that does not come. */
export const halfClosedIdleMs = 30_000;
/** How long a local program may go on sending after it got everything from a pod that has closed. */
const lingerMs = 5_000;
/** When the program behind an ended connection is looked for: closing takes it a moment. */
const peerChecksMs = [20, 1_000] as const;

export interface RelayOptions {
  readonly clock: Clock;
  readonly isPeerGone: PeerCheck;
  /** Called once, at the first bytes from the pod. */
  readonly onAnswer?: (() => void) | undefined;
}

/**
 * Carries bytes between a local connection and a pod until both are closed, and resolves then with the error of
 * the pod's side, if any. The protocol to the pod has no half-close: a local program that ends its sending is still
 * read for, until the pod closes, the program is gone, or nothing came for {@link halfClosedIdleMs}. What breaks on
 * the pod's side resets the local connection, so that a cut download never looks complete.
 */
export async function relay(
  local: Socket,
  remote: Duplex,
  options: RelayOptions,
): Promise<Error | undefined> {
  const localClosed = closed(local);
  const remoteClosed = closed(remote);
  using limit = new Limit(options.clock, () => local.destroy());
  let failure: Error | undefined;
  local.on('error', () => undefined);
  remote.once('error', (error) => {
    failure = error;
    local.resetAndDestroy();
  });
  remote.once('data', () => options.onAnswer?.());
  local.once('end', () => {
    if (remote.destroyed) return;
    limit.set(halfClosedIdleMs);
    remote.on('data', () => limit.set(halfClosedIdleMs));
    void closeWhenGone(local, options);
  });
  remote.once('end', () => {
    limit.clear();
    local.unpipe(remote);
    // What the program still sends has nowhere to go; left unread, closing would reset what it has not read yet.
    local.resume();
    if (local.writableFinished) limit.set(lingerMs);
    else local.once('finish', () => limit.set(lingerMs));
    remote.destroy();
  });
  void localClosed.then(() => remote.destroy());
  if (local.destroyed || remote.destroyed) {
    failure = remote.errored ?? undefined;
    local.resetAndDestroy();
    remote.destroy();
  } else {
    local.pipe(remote, { end: false });
    remote.pipe(local);
  }
  await Promise.all([localClosed, remoteClosed]);
  return failure;
}

function closed(stream: Duplex): Promise<void> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve));
}

async function closeWhenGone(local: Socket, { clock, isPeerGone }: RelayOptions): Promise<void> {
  for (const wait of peerChecksMs) {
    await clock.sleep(wait);
    if (local.destroyed) return;
    if (await isPeerGone(local)) local.destroy();
  }
}

/** One timer that is set anew. */
class Limit implements Disposable {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #timer: Disposable | undefined;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  set(milliseconds: number): void {
    this.clear();
    this.#timer = this.#clock.timer(milliseconds, this.#callback);
  }

  clear(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
