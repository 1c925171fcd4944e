import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { nextBeat, pingEveryMs } from './heartbeat.ts';

/** Longest frame sent, in bytes, the channel byte included: what the server's own client sends. */
export const maximumFrameBytes = 32 * 1024;
/** Fill of one channel in bytes above which the whole connection is not read. */
export const channelHighWaterMark = 256 * 1024;

/** Frames from this size up are made in a buffer that is used again, so that a bulk transfer leaves no garbage. */
const scratchFromBytes = 4096;

export interface FrameSocketHandlers {
  /** One message; never called with an empty payload, nor after `onClose`. The payload is the callee's. */
  readonly onFrame: (channel: number, payload: Buffer) => void;
  /** Called once, after the last frame. `code` is 1006 when the connection just ended. */
  readonly onClose: (code: number, reason: string) => void;
}

/**
 * A WebSocket whose messages start with a channel byte. Owns what all channel protocols share: pausing while any
 * channel is full, sending in bounded frames, and noticing that the other end is gone.
 */
export class FrameSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #blocked = new Set<number>();
  #aliveAtMs: number;
  #beat: Disposable | undefined;
  #quiet = false;
  #closed = false;
  #dead = false;
  #scratch: Buffer | undefined;
  #inputBytes = 0;
  #inputBytesAtPing = 0;
  #inputBytesAnswered = 0;

  constructor(socket: WebSocket, clock: Clock, handlers: FrameSocketHandlers) {
    this.#socket = socket;
    this.#clock = clock;
    this.#aliveAtMs = clock.monotonic();
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: Buffer) => {
      this.#aliveAtMs = clock.monotonic();
      const channel = data[0];
      if (channel !== undefined && data.length > 1) handlers.onFrame(channel, data.subarray(1));
    });
    socket.on('ping', () => (this.#aliveAtMs = clock.monotonic()));
    socket.on('pong', () => {
      this.#aliveAtMs = clock.monotonic();
      this.#inputBytesAnswered = this.#inputBytesAtPing;
    });
    // A failure is followed by `close`, which is where it is dealt with.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      this.#closed = true;
      this.quieten();
      handlers.onClose(this.#dead ? 1006 : code, this.#dead ? '' : reason.toString());
    });
    this.#scheduleBeat();
    socket.resume();
  }

  /** The subprotocol that the server chose. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True when silence, not the other end, ended the connection. */
  get dead(): boolean {
    return this.#dead;
  }

  /** Sends one frame of at most {@link maximumFrameBytes}; the callback comes when the system has taken it. */
  send(channel: number, payload: Uint8Array, callback: (error: Error | undefined) => void): void {
    this.#sendIn(Buffer.allocUnsafe(payload.length + 1), channel, payload, callback);
  }

  /** Sends all of `bytes` on one channel, one frame after the other. One call at a time. */
  sendAll(channel: number, bytes: Uint8Array, callback: (error: Error | undefined) => void): void {
    let offset = 0;
    const step = (error: Error | undefined): void => {
      if (error !== undefined || offset >= bytes.length) return callback(error);
      const slice = bytes.subarray(offset, offset + maximumFrameBytes - 1);
      offset += slice.length;
      // Free again once the system has taken the frame, which is before the next one is made.
      const frame =
        slice.length < scratchFromBytes
          ? Buffer.allocUnsafe(slice.length + 1)
          : (this.#scratch ??= Buffer.allocUnsafeSlow(maximumFrameBytes)).subarray(0, slice.length + 1);
      // What has arrived is read first: a server that has said its last word resets the connection under unread
      // input, and a write that fails then would throw away that word.
      setImmediate(() => this.#sendIn(frame, channel, slice, step));
    };
    step(undefined);
  }

  #sendIn(
    frame: Buffer,
    channel: number,
    payload: Uint8Array,
    callback: (error: Error | undefined) => void,
  ): void {
    if (this.#quiet || this.#socket.readyState !== this.#socket.OPEN) {
      callback(new Error('The connection is closed.'));
      return;
    }
    frame[0] = channel;
    frame.set(payload, 1);
    this.#inputBytes += payload.length;
    this.#socket.send(frame, { binary: true, compress: false }, (error) => callback(error ?? undefined));
  }

  /** Reads nothing more until {@link unblock} of the same channel. */
  block(channel: number): void {
    this.#blocked.add(channel);
    this.#socket.pause();
  }

  unblock(channel: number): void {
    if (!this.#blocked.delete(channel) || this.#blocked.size > 0) return;
    this.#aliveAtMs = this.#clock.monotonic();
    this.#socket.resume();
  }

  /** From now on nothing is sent any more, neither frames nor pings. */
  quieten(): void {
    this.#quiet = true;
    this.#beat?.[Symbol.dispose]();
    this.#beat = undefined;
  }

  /** Ends the connection at once; `onClose` follows. */
  terminate(): void {
    this.quieten();
    this.#socket.terminate();
  }

  #scheduleBeat(): void {
    this.#beat = this.#clock.timer(pingEveryMs, () => {
      const beat = nextBeat({
        nowMs: this.#clock.monotonic(),
        aliveAtMs: this.#aliveAtMs,
        paused: this.#blocked.size > 0,
        unsentBytes: this.#socket.bufferedAmount,
        unansweredInputBytes: this.#inputBytes - this.#inputBytesAnswered,
      });
      if (beat === 'dead') {
        this.#dead = true;
        this.terminate();
        return;
      }
      if (beat === 'restart') this.#aliveAtMs = this.#clock.monotonic();
      if (beat === 'ping' && this.#socket.readyState === this.#socket.OPEN) {
        this.#inputBytesAtPing = this.#inputBytes;
        this.#socket.ping();
      }
      this.#scheduleBeat();
    });
  }
}
