import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { SlipwayError } from '../../base/errors.ts';
import { resourcePath } from '../api-paths.ts';
import { resourceTypes } from '../resource-types.ts';
import type { KubeTransport } from '../transport.ts';
import { channelHighWaterMark, FrameSocket } from './frame-socket.ts';
import { closeReason, streamLost } from './lost.ts';

export interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

const channel = { data: 0, error: 1 } as const;
/** Each channel begins with the port it belongs to, little-endian. */
const portPrefixBytes = 2;
const maximumErrorBytes = 4096;
const inputHighWaterMark = 64 * 1024;

/**
 * One connection to a port of a pod over one WebSocket. Resolves when the server has agreed; whether anything
 * listens on the port is told later, by an error of code `stream.refused` on the stream. The protocol has no
 * half-close: the readable side ends when the pod's side does, ending the writable side tells the pod nothing,
 * and destroying the stream ends both.
 */
export async function forward(
  dependencies: { readonly transport: Pick<KubeTransport, 'webSocket'>; readonly clock: Clock },
  target: ForwardTarget,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Duplex> {
  const socket = await dependencies.transport.webSocket({
    path: resourcePath(resourceTypes.pod, {
      namespace: target.namespace,
      name: target.pod,
      subresource: 'portforward',
    }),
    query: [['ports', String(target.port)]],
    protocols: ['v4.channel.k8s.io'],
    subject: `port ${target.port} of pod ${target.namespace}/${target.pod}`,
    signal: options.signal,
  });
  return new ForwardStream(socket, dependencies.clock, target, options.signal);
}

class ForwardStream extends Duplex {
  readonly #frames: FrameSocket;
  readonly #subject: string;
  readonly #port: number;
  readonly #prefixes = new Map<number, Buffer>();
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => undefined;
  #errorText = '';
  /** Then writes vanish, as on a connection whose other end has closed: what it said before can still be read. */
  #endedByPod = false;

  constructor(socket: WebSocket, clock: Clock, target: ForwardTarget, signal: AbortSignal | undefined) {
    super({
      readableHighWaterMark: channelHighWaterMark,
      writableHighWaterMark: inputHighWaterMark,
      allowHalfOpen: true,
    });
    this.#subject = `port ${target.port} of pod ${target.namespace}/${target.pod}`;
    this.#port = target.port;
    this.#closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    // Whoever uses the stream hears of errors; nobody listening must not end the process.
    this.on('error', () => undefined);
    const onAbort = (): void => void this.destroy(signal?.reason as Error);
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

  override _read(): void {
    this.#frames.unblock(channel.data);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#frames.sendAll(channel.data, chunk, (error) => {
      if (error === undefined) return callback();
      void this.#closed.then(() => callback(this.#endedByPod ? null : this.#writeError(error)));
    });
  }

  override _writev(chunks: { chunk: unknown }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map((item) => item.chunk as Buffer)), 'utf8', callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#frames.closed) return callback(error);
    this.#frames.terminate();
    void this.#closed.then(() => callback(error));
  }

  #onFrame(number: number, payload: Buffer): void {
    if (this.destroyed || (number !== channel.data && number !== channel.error)) return;
    const body = this.#withoutPrefix(number, payload);
    if (body === undefined || body.length === 0) return;
    if (number === channel.data) {
      if (!this.push(body)) this.#frames.block(channel.data);
      return;
    }
    if (this.#errorText.length < maximumErrorBytes) this.#errorText += body.toString();
    this.destroy(this.#refusal());
  }

  #withoutPrefix(number: number, payload: Buffer): Buffer | undefined {
    const prefix = this.#prefixes.get(number) ?? Buffer.alloc(0);
    if (prefix.length >= portPrefixBytes) return payload;
    const missing = portPrefixBytes - prefix.length;
    const complete = Buffer.concat([prefix, payload.subarray(0, missing)]);
    this.#prefixes.set(number, complete);
    if (complete.length < portPrefixBytes) return undefined;
    if (complete.readUInt16LE(0) !== this.#port) {
      this.destroy(streamLost(this.#subject, `The server answered for port ${complete.readUInt16LE(0)}.`));
      return undefined;
    }
    return payload.subarray(missing);
  }

  #onClose(code: number, reason: string): void {
    this.#endedByPod = code === 1000;
    this.#resolveClosed();
    if (this.destroyed) return;
    if (this.#endedByPod) {
      this.push(null);
      return;
    }
    const cause = this.#frames.dead ? 'Nothing was heard for 61 seconds.' : closeReason(code, reason);
    this.destroy(streamLost(this.#subject, cause));
  }

  #writeError(origin: Error): SlipwayError {
    return streamLost(this.#subject, 'The connection ended while data was being sent.', origin);
  }

  #refusal(): SlipwayError {
    return new SlipwayError({
      code: 'stream.refused',
      message: `Nothing could be reached at ${this.#subject}.`,
      cause: this.#errorText.trim(),
      next: `Check that the program in the container listens on port ${this.#port}.`,
    });
  }
}
