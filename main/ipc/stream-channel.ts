import { wireLimits, type DownFrame, type FramePort } from '../../contract/wire.ts';
import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { StreamPeer } from './handlers.ts';

/** Bytes that wait to leave above which streams are paused, whatever credit they have. */
export const streamsWaitAboveBytes = 4 * 1024 * 1024;
/** How often a paused stream looks whether they have left. */
const lookAgainMs = 2;
/** Messages that a handler may have sent without waiting. */
const maximumWaiting = 1024;
/** Messages of the window that are kept until a handler listens. */
const maximumEarly = 256;

interface Waiting {
  readonly message: unknown;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface StreamChannelOptions {
  readonly id: number;
  readonly credit: number;
  readonly port: Pick<FramePort<DownFrame, unknown>, 'bufferedBytes'>;
  /** Throws what cannot travel. */
  readonly send: (frame: DownFrame) => void;
  readonly clock: Clock;
  /** A listener of the handler threw. */
  readonly onBug: (error: unknown) => void;
}

/** Main's end of one stream: what its handler holds as the peer, and what the dispatcher feeds. */
export class StreamChannel implements Disposable {
  readonly #options: StreamChannelOptions;
  readonly #controller = new AbortController();
  readonly #waiting: Waiting[] = [];
  readonly #listeners = new Set<(message: unknown) => void>();
  #early: unknown[] = [];
  #credit: number;
  #timer: Disposable | undefined;
  readonly peer: StreamPeer<unknown, unknown>;

  constructor(options: StreamChannelOptions) {
    this.#options = options;
    this.#credit = options.credit;
    const isReady = (): boolean => this.#isReady;
    this.peer = {
      signal: this.#controller.signal,
      get ready() {
        return isReady();
      },
      send: (message) => this.#send(message),
      onMessage: this.#onMessage,
    };
  }

  /** Says whether that was within what may be granted. */
  grant(amount: number): boolean {
    if (this.#credit + amount > wireLimits.credit) return false;
    this.#credit += amount;
    this.#pump();
    return true;
  }

  /** Hands on what the window sent; says whether there was room for it. */
  receive(message: unknown): boolean {
    if (this.#listeners.size === 0) {
      if (this.#early.length >= maximumEarly) return false;
      this.#early.push(message);
    } else this.#tell(message);
    return true;
  }

  /** Resolves when all that was sent has left; rejects when the window goes first. */
  flushed(): Promise<void> {
    const last = this.#waiting.at(-1);
    if (last === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const index = this.#waiting.indexOf(last);
      this.#waiting[index] = {
        message: last.message,
        resolve: () => {
          last.resolve();
          resolve();
        },
        reject: (reason) => {
          last.reject(reason);
          reject(reason);
        },
      };
    });
  }

  [Symbol.dispose](): void {
    if (this.#controller.signal.aborted) return;
    this.#timer?.[Symbol.dispose]();
    this.#controller.abort();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#controller.signal.reason);
    this.#listeners.clear();
    this.#early = [];
  }

  readonly #onMessage: Event<unknown> = (listener) => {
    this.#listeners.add(listener);
    for (const message of this.#early.splice(0)) this.#tell(message);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  };

  #tell(message: unknown): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(message);
      } catch (error) {
        this.#options.onBug(error);
      }
    }
  }

  get #hasRoom(): boolean {
    return this.#credit > 0 && this.#options.port.bufferedBytes <= streamsWaitAboveBytes;
  }

  get #isReady(): boolean {
    return !this.#controller.signal.aborted && this.#waiting.length === 0 && this.#hasRoom;
  }

  async #send(message: unknown): Promise<void> {
    this.#controller.signal.throwIfAborted();
    if (this.#isReady) return this.#transmit(message);
    if (this.#waiting.length >= maximumWaiting)
      throw new Error('A stream was sent to without waiting for room');
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      this.#pump();
    });
  }

  #transmit(message: unknown): void {
    this.#credit -= 1;
    this.#options.send({ t: 'data', id: this.#options.id, payload: message });
  }

  #pump(): void {
    while (this.#hasRoom) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      try {
        this.#transmit(next.message);
        next.resolve();
      } catch (error) {
        next.reject(error);
      }
    }
    // Without credit the window's next grant goes on; without room only time tells.
    if (this.#waiting.length > 0 && this.#credit > 0) this.#lookAgain();
  }

  #lookAgain(): void {
    this.#timer ??= this.#options.clock.timer(lookAgainMs, () => {
      this.#timer = undefined;
      this.#pump();
    });
  }
}
