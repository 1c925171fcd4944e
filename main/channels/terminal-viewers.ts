import type { TerminalSkip } from '../../contract/terminals.ts';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';

/** Longest message of output, in bytes; what waits for a window is joined up to this. */
export const messageBytes = 32 * 1024;
/** Output that may wait for one window, in bytes, before the shell is held back. */
export const waitingBytes = 128 * 1024;
/** How long a window may hold the shell back without taking anything. */
export const patienceMs = 10_000;

/** The window's end, as far as output goes. */
export interface OutputPeer {
  readonly signal: AbortSignal;
  send(message: Uint8Array | TerminalSkip): Promise<void>;
}

/**
 * The windows that look at one shell. The slowest one sets the pace, so that every one sees everything; one that
 * takes nothing for {@link patienceMs} is let go. Without windows nothing waits.
 */
export class TerminalViewers {
  readonly #clock: Clock;
  readonly #viewers = new Set<Viewer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when every window has room for more. */
  async write(bytes: Uint8Array): Promise<void> {
    for (const viewer of this.#viewers) viewer.push(bytes);
    for (const viewer of this.#viewers) await viewer.room();
  }

  /** Sends from now on; resolves at {@link end}, rejects when the window goes away or is let go. */
  async attach(peer: OutputPeer, replay: Uint8Array): Promise<void> {
    const viewer = new Viewer(peer, this.#clock);
    this.#viewers.add(viewer);
    try {
      viewer.push(replay);
      await viewer.run();
    } finally {
      this.#viewers.delete(viewer);
      viewer.leave();
    }
  }

  /** Whether a window holds the shell back now. */
  get full(): boolean {
    return [...this.#viewers].some((viewer) => viewer.full);
  }

  /** Forgets what waits for windows, and tells them to do the same with what is on its way. */
  discard(): void {
    for (const viewer of this.#viewers) viewer.discard();
  }

  /** The shell is closed. */
  end(): void {
    for (const viewer of this.#viewers) viewer.end();
  }
}

class Viewer {
  readonly #peer: OutputPeer;
  readonly #clock: Clock;
  #queue: Uint8Array[] = [];
  #bytes = 0;
  /** The window is to be told before the next bytes. */
  #skipped = false;
  #left = false;
  #wakeSender: () => void = () => undefined;
  readonly #waiting: (() => void)[] = [];
  #patience: Disposable | undefined;
  #letGo: (error: Error) => void = () => undefined;
  #leaveQuietly: () => void = () => undefined;
  readonly #gone: Promise<void>;

  constructor(peer: OutputPeer, clock: Clock) {
    this.#peer = peer;
    this.#clock = clock;
    this.#gone = new Promise((resolve, reject) => {
      this.#leaveQuietly = resolve;
      this.#letGo = reject;
    });
    this.#gone.catch(() => undefined);
  }

  get full(): boolean {
    return this.#bytes >= waitingBytes;
  }

  push(bytes: Uint8Array): void {
    if (this.#left || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#bytes += bytes.length;
    this.#wakeSender();
    if (this.full) this.#patience ??= this.#startPatience();
  }

  room(): Promise<void> {
    if (this.#left || !this.full) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async run(): Promise<void> {
    const onAbort = (): void => this.#letGo(this.#peer.signal.reason as Error);
    this.#peer.signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#peer.signal.throwIfAborted();
      await Promise.race([this.#sendAll(), this.#gone]);
    } finally {
      this.#peer.signal.removeEventListener('abort', onAbort);
    }
  }

  /** What it has not taken yet is of no use any more. */
  end(): void {
    this.#leaveQuietly();
  }

  discard(): void {
    for (const chunk of this.#queue.splice(0)) this.#bytes -= chunk.length;
    this.#skipped = true;
    this.#wakeSender();
    this.#restartPatience();
    this.#wakeWaiting();
  }

  leave(): void {
    this.#left = true;
    this.#queue = [];
    this.#wakeSender();
    this.#restartPatience();
    this.#wakeWaiting();
  }

  async #sendAll(): Promise<void> {
    while (!this.#left) {
      if (this.#skipped) {
        this.#skipped = false;
        await this.#peer.send({ skipped: true });
        continue;
      }
      const message = this.#take();
      if (message === undefined) {
        await new Promise<void>((resolve) => (this.#wakeSender = resolve));
        continue;
      }
      await this.#peer.send(message);
      // Only now has the window taken it, so that what waits here stays bounded.
      this.#bytes -= message.length;
      this.#restartPatience();
      if (!this.full) this.#wakeWaiting();
    }
  }

  /** The next message: whole chunks joined, and of a longer one a part. */
  #take(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    let length = 0;
    let used = 0;
    for (const chunk of this.#queue) {
      const part = chunk.subarray(0, messageBytes - length);
      parts.push(part);
      length += part.length;
      if (part.length < chunk.length) this.#queue[used] = chunk.subarray(part.length);
      else used += 1;
      if (length === messageBytes) break;
    }
    this.#queue.splice(0, used);
    return parts.length > 1 ? Buffer.concat(parts) : parts[0];
  }

  #wakeWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #startPatience(): Disposable {
    return this.#clock.timer(patienceMs, () => this.#letGo(fellBehind()));
  }

  #restartPatience(): void {
    this.#patience?.[Symbol.dispose]();
    this.#patience = this.full && !this.#left ? this.#startPatience() : undefined;
  }
}

function fellBehind(): SlipwayError {
  return new SlipwayError({
    code: 'contract.too-much',
    message: 'This window no longer shows the shell.',
    cause: `It took no output for ${patienceMs / 1000} seconds and held the shell back.`,
    next: 'Attach again; the latest output is kept.',
  });
}
