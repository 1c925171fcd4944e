import { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { SlipwayError } from '../../base/errors.ts';
import type { ExecStatus, ExecStream } from '../kube.ts';
import { channelHighWaterMark, FrameSocket } from './frame-socket.ts';
import { closeReason, streamLost } from './lost.ts';
import { malformedStatus, maximumStatusBytes, parseStatus } from './status.ts';

/** Protocol with a closing signal per channel; servers from 1.30 speak it. */
export const protocolWithClose = 'v5.channel.k8s.io';
export const channelProtocols: readonly string[] = [protocolWithClose, 'v4.channel.k8s.io'];

const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;
/** Input that waits for the connection, in bytes; small, so that what is written next is not far behind. */
const inputHighWaterMark = 64 * 1024;
/** How long after the status the server may take to close the connection before we do. */
const closeGraceMs = 250;

export interface ChannelOptions {
  readonly socket: WebSocket;
  readonly clock: Clock;
  /** What error messages call the other end, for instance `pod shop/web`. */
  readonly subject: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The streams of a command that runs behind an open WebSocket, as {@link ExecStream} promises them. */
export function openChannels(options: ChannelOptions): ExecStream {
  return new ChannelStreams(options);
}

class ChannelStreams implements ExecStream {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  readonly canHalfClose: boolean;
  readonly status: Promise<ExecStatus>;

  readonly #frames: FrameSocket;
  readonly #subject: string;
  readonly #clock: Clock;
  readonly #closed: Promise<void>;
  #resolveStatus: (status: ExecStatus) => void = () => undefined;
  #resolveClosed: () => void = () => undefined;
  readonly #finished = new Set<Readable>();
  #statusText = '';
  #ended: ExecStatus | undefined;
  #stopped: Error | undefined;
  #grace: Disposable | undefined;

  constructor(options: ChannelOptions) {
    const { socket, clock, signal } = options;
    this.#subject = options.subject;
    this.#clock = clock;
    this.canHalfClose = socket.protocol === protocolWithClose;
    this.status = new Promise((resolve) => (this.#resolveStatus = resolve));
    this.#closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.stdout = this.#readable(channel.stdout);
    this.stderr = options.tty ? undefined : this.#readable(channel.stderr);
    this.stdin = options.stdin ? this.#writable() : undefined;
    const onAbort = (): void => this.#stop(signal?.reason as Error);
    this.#frames = new FrameSocket(socket, clock, {
      onFrame: (number, payload) => this.#onFrame(number, payload),
      onClose: (code, reason) => {
        signal?.removeEventListener('abort', onAbort);
        this.#onClose(code, reason);
      },
    });
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  }

  resize(size: { readonly columns: number; readonly rows: number }): void {
    const message = JSON.stringify({ Width: size.columns, Height: size.rows });
    this.#frames.send(channel.resize, Buffer.from(message), () => undefined);
  }

  kill(): void {
    this.#stop(streamLost(this.#subject, 'It was closed from here.'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.#closed;
  }

  #stop(reason: Error): void {
    if (this.#frames.closed) return;
    this.#stopped ??= reason;
    this.#frames.terminate();
  }

  #onFrame(number: number, payload: Buffer): void {
    switch (number) {
      case channel.stdout:
        return this.#push(this.stdout, channel.stdout, payload);
      case channel.stderr:
        if (this.stderr !== undefined) this.#push(this.stderr, channel.stderr, payload);
        return;
      case channel.status:
        return this.#onStatus(payload);
      case channel.close:
        return this.#onChannelClosed(payload[0]);
      default:
        // A channel of a later protocol: the server may use it, we have nothing to do with it.
        return;
    }
  }

  #onChannelClosed(number: number | undefined): void {
    if (number === channel.stdout) this.#finish(this.stdout);
    if (number === channel.stderr && this.stderr !== undefined) this.#finish(this.stderr);
  }

  #onStatus(payload: Buffer): void {
    if (this.#ended !== undefined) return;
    this.#statusText += payload.toString();
    const tooLong = this.#statusText.length > maximumStatusBytes;
    const status = tooLong ? malformedStatus(this.#statusText) : parseStatus(this.#statusText);
    if (status === undefined) return;
    this.#end(status);
    // Whoever closes, all output came before the status on the same connection.
    this.#grace = this.#clock.timer(closeGraceMs, () => this.#frames.terminate());
  }

  #end(status: ExecStatus): void {
    this.#ended = status;
    this.#frames.quieten();
    this.#resolveStatus(status);
  }

  #onClose(code: number, reason: string): void {
    this.#grace?.[Symbol.dispose]();
    if (this.#ended === undefined && this.#stopped === undefined && this.#statusText !== '') {
      this.#end(malformedStatus(this.#statusText));
    }
    if (this.#ended === undefined) {
      const error = this.#stopped ?? streamLost(this.#subject, this.#lossCause(code, reason));
      this.#ended = { kind: 'lost', error };
      this.#resolveStatus(this.#ended);
      this.stdout.destroy(error);
      this.stderr?.destroy(error);
      this.stdin?.destroy(error);
    } else {
      this.#finish(this.stdout);
      if (this.stderr !== undefined) this.#finish(this.stderr);
      if (this.stdin?.writableFinished === false) {
        this.stdin.destroy(streamLost(this.#subject, 'The command has ended.'));
      }
    }
    this.#resolveClosed();
  }

  #lossCause(code: number, reason: string): string {
    return this.#frames.dead ? 'Nothing was heard for 61 seconds.' : closeReason(code, reason);
  }

  #push(readable: Readable, number: number, payload: Buffer): void {
    if (readable.destroyed || this.#finished.has(readable)) return;
    if (!readable.push(payload)) this.#frames.block(number);
  }

  #finish(readable: Readable): void {
    if (readable.destroyed || this.#finished.has(readable)) return;
    this.#finished.add(readable);
    readable.push(null);
  }

  #readable(number: number): Readable {
    const readable = new Readable({
      highWaterMark: channelHighWaterMark,
      read: () => this.#frames.unblock(number),
      destroy: (error, callback) => {
        this.#frames.unblock(number);
        callback(error);
      },
    });
    // Whoever reads hears of errors; nobody reading must not end the process.
    readable.on('error', () => undefined);
    return readable;
  }

  #writable(): Writable {
    const send = (bytes: Uint8Array, callback: (error?: Error | null) => void): void => {
      this.#frames.sendAll(channel.stdin, bytes, (error) =>
        callback(error === undefined ? null : this.#writeError(error)),
      );
    };
    const writable = new Writable({
      highWaterMark: inputHighWaterMark,
      write: (chunk: Buffer, _encoding, callback) => send(chunk, callback),
      writev: (chunks, callback) => send(Buffer.concat(chunks.map((item) => item.chunk as Buffer)), callback),
      final: (callback) => this.#halfClose(callback),
    });
    writable.on('error', () => undefined);
    return writable;
  }

  #halfClose(callback: (error?: Error | null) => void): void {
    // A command that has ended needs no end of input.
    if (this.#ended !== undefined && this.#ended.kind !== 'lost') return callback();
    if (!this.canHalfClose) {
      return callback(
        new SlipwayError({
          code: 'stream.unsupported',
          message: `The end of input cannot be told to ${this.#subject}.`,
          cause: `The server speaks ${this.#frames.protocol}, which has no closing signal.`,
          next: 'Send the length of the input first, or use a cluster of version 1.30 or newer.',
        }),
      );
    }
    this.#frames.send(channel.close, Uint8Array.of(channel.stdin), (error) =>
      callback(error === undefined ? null : this.#writeError(error)),
    );
  }

  #writeError(origin: Error): SlipwayError {
    const cause =
      this.#ended === undefined
        ? 'The connection ended while input was being sent.'
        : 'The command has ended.';
    return streamLost(this.#subject, cause, origin);
  }
}
