import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { createAgents, planRoute, tlsOptions } from './agents.ts';
import type { Credential, Credentials } from './credentials.ts';
import { connectionError, parseStatus, statusError, timeoutError } from './errors.ts';
import type { KubeStatus } from './errors.ts';
import type { Selection } from './kubeconfig-select.ts';
import type { Environment } from './proxy.ts';
import { BodyTooLargeError, readBody, readErrorBody } from './response-body.ts';
import type { KubeTransport, Query, TransportRequest, WebSocketRequest } from './transport.ts';

/** Bounds of a transport. */
export interface TransportBounds {
  /** Name look-up, proxy, TCP and TLS together. */
  readonly connectMs: number;
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
  connectMs: 8_000,
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
  const { selection, credentials, clock } = options;
  const bounds = { ...defaultBounds, ...options.bounds };
  const route = planRoute(selection, options.environment);
  const agents = createAgents(route);
  const ended = new AbortController();

  function target(path: string, query: Query | undefined): URL {
    const url = new URL(route.server);
    url.pathname = route.basePath + path;
    for (const [name, value] of query ?? []) url.searchParams.append(name, value);
    return url;
  }

  function connectionOptions(credential: Credential): object {
    const tls = route.secure ? tlsOptions(selection, credential) : {};
    return { ...tls, autoSelectFamilyAttemptTimeout: addressAttemptMs };
  }

  /** One attempt until the headers of the answer, whatever its status. */
  function attempt(call: Call, credential: Credential, signal: AbortSignal): Promise<IncomingMessage> {
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const headers: OutgoingHttpHeaders = {
      ...(credential.headers as OutgoingHttpHeaders),
      Accept: call.accept ?? 'application/json',
      'User-Agent': 'slipway',
      ...(body === undefined
        ? {}
        : { 'Content-Type': call.contentType ?? 'application/json', 'Content-Length': body.length }),
    };
    const send = route.secure ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request = send(target(call.path, call.query), {
        ...connectionOptions(credential),
        method: call.method ?? 'GET',
        headers,
        agent: agents.pooled(credential),
      });
      const connecting = boundConnecting(request, reject);
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
  function boundConnecting(request: ClientRequest, fail: (error: Error) => void): Disposable {
    const stop = (error: Error): void => {
      fail(error);
      request.destroy();
    };
    const timer = clock.timer(bounds.connectMs, () =>
      stop(timeoutError(route.label, 'Connecting', bounds.connectMs, route.via)),
    );
    const connected = (): void => timer[Symbol.dispose]();
    request.on('socket', (socket: Socket) => {
      socket.setKeepAlive(true, tcpKeepAliveMs);
      socket.setNoDelay(true);
      if (request.reusedSocket) connected();
      else {
        socket.prependOnceListener('error', fail);
        socket.once(route.secure ? 'secureConnect' : 'connect', connected);
        if (!route.secure && !socket.connecting) connected();
      }
    });
    request.on('proxyConnect', (answer: { readonly statusCode: number; readonly statusText: string }) => {
      if (answer.statusCode !== 200)
        stop(proxyRefusal(route.via ?? '', answer.statusCode, answer.statusText));
    });
    return timer;
  }

  /** Sends, signs in again after a 401, retries what may be retried, and gives an answer of status 2xx. */
  async function exchange<T>(call: Call, consume: (response: IncomingMessage) => Promise<T> | T): Promise<T> {
    const method = call.method ?? 'GET';
    let remaining = call.timeoutMs ?? bounds.callMs;
    let signedInAgain = false;
    for (let retries = 0; ; retries += 1) {
      const credential = await orAborted(credentials.current(), call.signal, ended.signal);
      const bound = boundTime(remaining);
      const signals = [bound.signal, ended.signal, ...(call.signal === undefined ? [] : [call.signal])];
      const started = clock.monotonic();
      let refused: KubeStatus;
      try {
        const response = await attempt(call, credential, AbortSignal.any(signals));
        if (isSuccess(response)) return await consume(response);
        const text = await readErrorBody(response, errorBodyBytes, errorBodyMs);
        refused = withRetryAfter(parseStatus(response.statusCode ?? 0, text), response);
      } catch (error) {
        for (const signal of signals) signal.throwIfAborted();
        if (method !== 'GET' || retries >= bounds.retries || !isBroken(error)) throw typed(error);
        await clock.sleep(pause(retries), call.signal);
        continue;
      } finally {
        bound[Symbol.dispose]();
        remaining -= clock.monotonic() - started;
      }
      if (refused.code === 401 && !signedInAgain && (await credentials.reject(credential))) {
        signedInAgain = true;
        continue;
      }
      const wait = retryDelay(refused, method);
      if (
        wait === undefined ||
        retries >= bounds.retries ||
        wait > Math.min(bounds.retryAfterMs, remaining)
      ) {
        throw statusError(refused, { method, subject: call.subject ?? call.path });
      }
      await clock.sleep(wait, call.signal);
      remaining -= wait;
    }
  }

  function boundTime(milliseconds: number): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const { signal } = controller;
    if (milliseconds === Infinity) return { signal, [Symbol.dispose]: () => undefined };
    const timer = clock.timer(Math.max(milliseconds, 0), () =>
      controller.abort(timeoutError(route.label, 'The answer', Math.round(milliseconds), route.via)),
    );
    return { signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  function typed(error: unknown): Error {
    if (error instanceof BodyTooLargeError) {
      return new SlipwayError({
        code: 'cluster.failed',
        message: `The answer of ${route.label} is too large.`,
        next: 'Ask for less, for instance with a selector.',
        origin: error,
      });
    }
    return connectionError(error, route.label, route.via);
  }

  function text(call: Call): Promise<string> {
    return exchange(call, (response) => readBody(response, bounds.answerBytes));
  }

  /** One handshake; a refusal resolves with what the server said. */
  function dial(wanted: WebSocketRequest, credential: Credential): Promise<WebSocket | IncomingMessage> {
    const url = target(wanted.path, wanted.query);
    url.protocol = route.secure ? 'wss:' : 'ws:';
    return new Promise((resolve, reject) => {
      let connecting: Disposable | undefined;
      const socket = new WebSocket(url, [...wanted.protocols], {
        ...connectionOptions(credential),
        headers: { ...(credential.headers as Record<string, string>), 'User-Agent': 'slipway' },
        agent: agents.fresh(),
        handshakeTimeout: bounds.handshakeMs,
        maxPayload: bounds.messageBytes,
        perMessageDeflate: false,
        skipUTF8Validation: true,
        finishRequest: (request) => {
          connecting = boundConnecting(request, reject);
          request.end();
        },
      });
      const settle = (): void => {
        connecting?.[Symbol.dispose]();
        for (const signal of [wanted.signal, ended.signal]) signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        reject((wanted.signal?.aborted ? wanted.signal : ended.signal).reason as Error);
        socket.terminate();
      };
      for (const signal of [wanted.signal, ended.signal])
        signal?.addEventListener('abort', onAbort, { once: true });
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
      if (wanted.signal?.aborted || ended.signal.aborted) onAbort();
    });
  }

  async function webSocket(wanted: WebSocketRequest): Promise<WebSocket> {
    for (let signedInAgain = false; ; signedInAgain = true) {
      const credential = await orAborted(credentials.current(), wanted.signal, ended.signal);
      const answer = await dial(wanted, credential).catch((error: unknown) => {
        wanted.signal?.throwIfAborted();
        throw /handshake has timed out/.test(String(error))
          ? timeoutError(route.label, 'The WebSocket handshake', bounds.handshakeMs, route.via)
          : typed(error);
      });
      if (answer instanceof WebSocket) return answer;
      const text = await readErrorBody(answer, errorBodyBytes, errorBodyMs);
      answer.destroy();
      const status = parseStatus(answer.statusCode ?? 0, text);
      if (status.code === 401 && !signedInAgain && (await credentials.reject(credential))) continue;
      throw refusedHandshake(status, wanted, route.via);
    }
  }

  return {
    server: route.label,
    text,
    webSocket,
    async json(call) {
      const answer = await text(call);
      try {
        return JSON.parse(answer) as unknown;
      } catch (error) {
        throw new SlipwayError({
          code: 'cluster.failed',
          message: `What answers at ${route.label} is not a Kubernetes API.`,
          cause: 'The answer is not JSON; a proxy or a sign-in page may have sent it.',
          next: 'Check the server address in the kubeconfig and the proxy on the way.',
          origin: error,
        });
      }
    },
    async stream(call) {
      return exchange(call, (response) => {
        const signals = [ended.signal, ...(call.signal === undefined ? [] : [call.signal])];
        const abort = (): void =>
          void response.destroy(signals.find((signal) => signal.aborted)?.reason as Error);
        for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
        response.once('close', () => {
          for (const signal of signals) signal.removeEventListener('abort', abort);
        });
        return response;
      });
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      agents[Symbol.dispose]();
      await credentials[Symbol.asyncDispose]();
    },
  };
}

function isSuccess(response: IncomingMessage): boolean {
  return response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300;
}

/** A connection that broke, as opposed to one that could not be made. */
function isBroken(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function withRetryAfter(status: KubeStatus, response: IncomingMessage): KubeStatus {
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? { ...status, retryAfterSeconds: seconds } : status;
}

/** How long to wait before sending again, in milliseconds; undefined when it must not be sent again. */
export function retryDelay(status: KubeStatus, method: string): number | undefined {
  const mayRetry = status.code === 429 || (status.code === 503 && method === 'GET');
  if (!mayRetry || status.retryAfterSeconds === undefined) return undefined;
  return Math.max(status.retryAfterSeconds * 1000, 100);
}

/** Jittered, so that many requests that broke together do not come back together. */
function pause(retries: number): number {
  return 50 * 2 ** retries * (0.5 + Math.random());
}

async function orAborted<T>(work: Promise<T>, ...signals: readonly (AbortSignal | undefined)[]): Promise<T> {
  const signal = AbortSignal.any(signals.filter((given) => given !== undefined));
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

function proxyRefusal(via: string, code: number, reason: string): SlipwayError {
  return new SlipwayError({
    code: 'cluster.unreachable',
    message: `The proxy ${via} does not let through to the cluster.`,
    cause: `It answered CONNECT with ${code} ${reason}`.trim(),
    next:
      code === 407
        ? 'Put user name and password into the address of the proxy.'
        : 'Ask whoever runs the proxy to allow the cluster, or set NO_PROXY for it.',
  });
}

function refusedHandshake(
  status: KubeStatus,
  wanted: WebSocketRequest,
  via: string | undefined,
): SlipwayError {
  const subject = wanted.subject ?? wanted.path;
  const fromKubernetes =
    status.reason !== '' || status.code === 401 || status.code === 403 || status.code === 404;
  if (fromKubernetes) return statusError(status, { method: 'CONNECT', subject });
  return new SlipwayError({
    code: 'stream.unsupported',
    message: `A stream to ${subject} could not be opened: the WebSocket upgrade was not made${via === undefined ? '' : ` through ${via}`}.`,
    cause: `The answer was ${status.code}${status.message === '' ? '' : `: ${status.message}`}`,
    next: 'Check that every proxy and load balancer on the way to the cluster lets WebSockets through.',
  });
}
