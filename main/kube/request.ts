import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import { createAgents, planRoute, tlsOptions } from './agents.ts';
import type { Agents, Route } from './agents.ts';
import type { Credential, Credentials } from './credentials.ts';
import { parseStatus, statusError, timeoutError } from './errors.ts';
import type { KubeStatus } from './errors.ts';
import type { Selection } from './kubeconfig-select.ts';
import type { Environment } from './proxy.ts';
import { exchangeError, notKubernetes, proxyRefusal, refusedHandshake } from './refusals.ts';
import { readBody, readErrorBody } from './response-body.ts';
import { isBroken, pause, retryDelay, withRetryAfter } from './retry.ts';
import type { KubeTransport, Query, TransportRequest, WebSocketRequest } from './transport.ts';

/** Bounds of a transport. */
export interface TransportBounds {
  /** Name look-up, proxy, TCP and TLS together. */
  readonly connectMs: number;
  /** A call before the server has ever answered: a command tells within 10 s that nobody does. */
  readonly firstCallMs: number;
  /** A whole call, or the time until the headers of a stream. */
  readonly callMs: number;
  readonly handshakeMs: number;
  readonly answerBytes: number;
  readonly messageBytes: number;
  /** How often a request is sent again after 429, or after a connection that broke under a GET. */
  readonly retries: number;
  /** The longest that a server's Retry-After is waited for. */
  readonly retryAfterMs: number;
}

export const defaultBounds: TransportBounds = {
  connectMs: 6_000,
  firstCallMs: 6_000,
  callMs: 15_000,
  handshakeMs: 15_000,
  answerBytes: 64 * 1024 * 1024,
  messageBytes: 64 * 1024 * 1024,
  retries: 3,
  retryAfterMs: 10_000,
};

const errorBodyBytes = 64 * 1024;
const errorBodyMs = 3_000;
/** On a slow network an address needs longer than Node's 250 ms before the next one is tried. */
const addressAttemptMs = 2_000;
const tcpKeepAliveMs = 15_000;

export interface TransportOptions {
  readonly selection: Selection;
  readonly credentials: Credentials;
  /** Proxy variables are read from it. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly bounds?: Partial<TransportBounds> | undefined;
}

type Call = TransportRequest & { readonly timeoutMs?: number | undefined };

/**
 * The only opener of connections to a cluster. Opens none before it is asked to. Requests with one credential
 * share one pool; a rotated client certificate gets a new one. Disposing ends every request and every stream;
 * WebSockets that were handed out belong to whoever has them.
 */
export function createTransport(options: TransportOptions): KubeTransport {
  return new Transport(options);
}

class Transport implements KubeTransport {
  readonly server: string;
  readonly #selection: Selection;
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #bounds: TransportBounds;
  readonly #route: Route;
  readonly #agents: Agents;
  readonly #ended = new AbortController();
  #hasAnswered = false;

  constructor(options: TransportOptions) {
    this.#selection = options.selection;
    this.#credentials = options.credentials;
    this.#clock = options.clock;
    this.#bounds = { ...defaultBounds, ...options.bounds };
    this.#route = planRoute(options.selection, options.environment);
    this.#agents = createAgents(this.#route);
    this.server = this.#route.label;
  }

  async json(call: Call): Promise<unknown> {
    const answer = await this.text(call);
    try {
      return JSON.parse(answer) as unknown;
    } catch (error) {
      throw notKubernetes(this.server, error);
    }
  }

  text(call: Call): Promise<string> {
    return this.#exchange(call, (response) => readBody(response, this.#bounds.answerBytes));
  }

  stream(call: Call): Promise<IncomingMessage> {
    return this.#exchange(call, (response) => {
      const signal = this.#untilEnded(call.signal);
      const abort = (): void => void response.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      response.once('close', () => signal.removeEventListener('abort', abort));
      return response;
    });
  }

  async webSocket(wanted: WebSocketRequest): Promise<WebSocket> {
    const stopped = this.#untilEnded(wanted.signal);
    for (let signedInAgain = false; ; signedInAgain = true) {
      const credential = await orAborted(this.#credentials.current(), stopped);
      const answer = await this.#dial(wanted, credential, stopped).catch((error: unknown) => {
        stopped.throwIfAborted();
        throw /handshake has timed out/.test(String(error))
          ? timeoutError(this.server, 'The WebSocket handshake', this.#bounds.handshakeMs, this.#route.via)
          : exchangeError(error, this.server, this.#route.via);
      });
      if (answer instanceof WebSocket) return answer;
      const text = await readErrorBody(answer, errorBodyBytes, errorBodyMs);
      answer.destroy();
      const status = parseStatus(answer.statusCode ?? 0, text);
      if (status.code === 401 && !signedInAgain && (await this.#credentials.reject(credential))) continue;
      throw refusedHandshake(status, wanted, this.#route.via);
    }
  }

  #target(path: string, query: Query | undefined): URL {
    const url = new URL(this.#route.server);
    url.pathname = this.#route.basePath + path;
    for (const [name, value] of query ?? []) url.searchParams.append(name, value);
    return url;
  }

  #connectionOptions(credential: Credential): object {
    const tls = this.#route.secure ? tlsOptions(this.#selection, credential) : {};
    return { ...tls, autoSelectFamilyAttemptTimeout: addressAttemptMs };
  }

  /** One attempt until the headers of the answer, whatever its status. */
  #attempt(call: Call, credential: Credential, signal: AbortSignal): Promise<IncomingMessage> {
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const headers: OutgoingHttpHeaders = {
      ...(credential.headers as OutgoingHttpHeaders),
      Accept: call.accept ?? 'application/json',
      'User-Agent': 'slipway',
      ...(body === undefined
        ? {}
        : { 'Content-Type': call.contentType ?? 'application/json', 'Content-Length': body.length }),
    };
    const send = this.#route.secure ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request = send(this.#target(call.path, call.query), {
        ...this.#connectionOptions(credential),
        method: call.method ?? 'GET',
        headers,
        agent: this.#agents.pooled(credential),
      });
      const connecting = this.#boundConnecting(request, reject);
      const onAbort = (): void => {
        reject(signal.reason as Error);
        request.destroy();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      request.on('error', reject);
      request.on('response', resolve);
      request.on('close', () => {
        connecting[Symbol.dispose]();
        signal.removeEventListener('abort', onAbort);
        reject(new Error('The connection was closed before an answer'));
      });
      request.end(body);
    });
  }

  /** Calls back when connecting fails or takes too long, also where Node would hide the reason. */
  #boundConnecting(request: ClientRequest, fail: (error: Error) => void): Disposable {
    const stop = (error: Error): void => {
      fail(error);
      request.destroy();
    };
    const timer = this.#clock.timer(this.#bounds.connectMs, () =>
      stop(timeoutError(this.server, 'Connecting', this.#bounds.connectMs, this.#route.via)),
    );
    const connected = (): void => timer[Symbol.dispose]();
    request.on('socket', (socket: Socket) => {
      socket.setKeepAlive(true, tcpKeepAliveMs);
      socket.setNoDelay(true);
      if (request.reusedSocket) connected();
      else {
        socket.prependOnceListener('error', fail);
        socket.once(this.#route.secure ? 'secureConnect' : 'connect', connected);
        if (!this.#route.secure && !socket.connecting) connected();
      }
    });
    request.on('proxyConnect', (answer: { readonly statusCode: number; readonly statusText: string }) => {
      if (answer.statusCode !== 200)
        stop(proxyRefusal(this.#route.via ?? '', answer.statusCode, answer.statusText));
    });
    return timer;
  }

  /** Sends, signs in again after a 401, retries what may be retried, and gives an answer of status 2xx. */
  async #exchange<T>(call: Call, consume: (response: IncomingMessage) => Promise<T> | T): Promise<T> {
    const method = call.method ?? 'GET';
    const { firstCallMs, callMs } = this.#bounds;
    let remaining = call.timeoutMs ?? (this.#hasAnswered ? callMs : Math.min(firstCallMs, callMs));
    let signedInAgain = false;
    const stopped = this.#untilEnded(call.signal);
    for (let retries = 0; ; retries += 1) {
      const credential = await orAborted(this.#credentials.current(), stopped);
      const bound = this.#boundTime(remaining);
      const signal = AbortSignal.any([stopped, bound.signal]);
      const started = this.#clock.monotonic();
      let refused: KubeStatus;
      try {
        const response = await this.#attempt(call, credential, signal);
        this.#hasAnswered = true;
        if (isSuccess(response)) return await consume(response);
        const text = await readErrorBody(response, errorBodyBytes, errorBodyMs);
        refused = withRetryAfter(parseStatus(response.statusCode ?? 0, text), response);
      } catch (error) {
        signal.throwIfAborted();
        if (method !== 'GET' || retries >= this.#bounds.retries || !isBroken(error))
          throw exchangeError(error, this.server, this.#route.via);
        await this.#clock.sleep(pause(retries), stopped);
        continue;
      } finally {
        bound[Symbol.dispose]();
        remaining -= this.#clock.monotonic() - started;
      }
      if (refused.code === 401 && !signedInAgain && (await this.#credentials.reject(credential))) {
        signedInAgain = true;
        continue;
      }
      const wait = retryDelay(refused, method);
      if (
        wait === undefined ||
        retries >= this.#bounds.retries ||
        wait > Math.min(this.#bounds.retryAfterMs, remaining)
      ) {
        throw statusError(refused, { method, subject: call.subject ?? call.path });
      }
      await this.#clock.sleep(wait, stopped);
      remaining -= wait;
    }
  }

  #boundTime(milliseconds: number): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const { signal } = controller;
    if (milliseconds === Infinity) return { signal, [Symbol.dispose]: () => undefined };
    const timer = this.#clock.timer(Math.max(milliseconds, 0), () =>
      controller.abort(timeoutError(this.server, 'The answer', Math.round(milliseconds), this.#route.via)),
    );
    return { signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  /** One handshake; a refusal resolves with what the server said. */
  #dial(
    wanted: WebSocketRequest,
    credential: Credential,
    signal: AbortSignal,
  ): Promise<WebSocket | IncomingMessage> {
    const url = this.#target(wanted.path, wanted.query);
    url.protocol = this.#route.secure ? 'wss:' : 'ws:';
    return new Promise((resolve, reject) => {
      let connecting: Disposable | undefined;
      const socket = new WebSocket(url, [...wanted.protocols], {
        ...this.#connectionOptions(credential),
        headers: { ...(credential.headers as Record<string, string>), 'User-Agent': 'slipway' },
        agent: this.#agents.fresh(),
        handshakeTimeout: this.#bounds.handshakeMs,
        maxPayload: this.#bounds.messageBytes,
        perMessageDeflate: false,
        skipUTF8Validation: true,
        finishRequest: (request) => {
          connecting = this.#boundConnecting(request, reject);
          request.end();
        },
      });
      const settle = (): void => {
        connecting?.[Symbol.dispose]();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        reject(signal.reason as Error);
        socket.terminate();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      socket.on('error', (error) => {
        settle();
        reject(error);
      });
      socket.once('open', () => {
        settle();
        socket.pause();
        socket.removeAllListeners('error');
        // The listener of whoever gets it comes a moment later.
        socket.once('error', () => undefined);
        resolve(socket);
      });
      socket.once('unexpected-response', (_request, response) => {
        settle();
        resolve(response);
      });
      if (signal.aborted) onAbort();
    });
  }

  /** Aborted with the caller's signal, or when this transport ends. */
  #untilEnded(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#ended.signal : AbortSignal.any([this.#ended.signal, signal]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#agents[Symbol.dispose]();
    await this.#credentials[Symbol.asyncDispose]();
  }
}

function isSuccess(response: IncomingMessage): boolean {
  return response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
