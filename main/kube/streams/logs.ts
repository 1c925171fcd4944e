import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { LogOptions, PodTarget } from '../kube.ts';
import { resourcePath } from '../api-paths.ts';
import { resourceTypes } from '../resource-types.ts';
import type { KubeTransport, Query } from '../transport.ts';
import { channelHighWaterMark } from './frame-socket.ts';
import { streamLost } from './lost.ts';

/**
 * A container's log as bytes. Unread output stays at the server; a quiet follow never times out. Ends when the
 * server has nothing more to say, and is destroyed with `stream.lost` when the connection breaks before that.
 */
export async function logs(
  dependencies: { readonly transport: Pick<KubeTransport, 'stream'> },
  target: PodTarget,
  options: LogOptions = {},
): Promise<Readable> {
  const subject = `log of pod ${target.namespace}/${target.pod}`;
  const message = await dependencies.transport.stream({
    path: resourcePath(resourceTypes.pod, {
      namespace: target.namespace,
      name: target.pod,
      subresource: 'log',
    }),
    query: logQuery(target, options),
    accept: '*/*',
    subject,
    signal: options.signal,
  });
  return new LogStream(message, subject, options.signal);
}

/** The query that asks for a log; options that are undefined are left to the server. */
export function logQuery(target: PodTarget, options: LogOptions): Query {
  const query: [string, string][] = [];
  if (target.container !== undefined) query.push(['container', target.container]);
  if (options.follow === true) query.push(['follow', 'true']);
  if (options.previous === true) query.push(['previous', 'true']);
  if (options.timestamps === true) query.push(['timestamps', 'true']);
  if (options.tailLines !== undefined) query.push(['tailLines', String(options.tailLines)]);
  if (options.sinceTime !== undefined) query.push(['sinceTime', options.sinceTime]);
  return query;
}

class LogStream extends Readable {
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage, subject: string, signal: AbortSignal | undefined) {
    super({ highWaterMark: channelHighWaterMark });
    this.#message = message;
    // Whoever reads hears of errors; nobody listening must not end the process.
    this.on('error', () => undefined);
    const onAbort = (): void => void this.destroy(signal?.reason as Error);
    const lost = (origin?: Error): void => {
      if (signal?.aborted === true) return onAbort();
      this.destroy(
        streamLost(subject, origin?.message ?? 'The connection ended in the middle of the answer.', origin),
      );
    };
    message.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) message.pause();
    });
    message.once('end', () => this.push(null));
    message.on('error', lost);
    message.once('close', () => {
      signal?.removeEventListener('abort', onAbort);
      if (!message.complete) lost();
    });
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  }

  override _read(): void {
    this.#message.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#message.destroy();
    callback(error);
  }
}
