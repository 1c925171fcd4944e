import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.ts';
import type { KubeTransport, Query } from '../transport.ts';

export type Behaviour = (socket: WebSocket, request: IncomingMessage) => void;

export interface FakeServer extends AsyncDisposable {
  readonly transport: Pick<KubeTransport, 'webSocket' | 'stream'>;
  readonly port: number;
  /** URL of each WebSocket request so far. */
  readonly requests: readonly string[];
  readonly openSockets: () => number;
}

/** A local stand-in for the API server's streaming side: tests say what each connection does. */
export async function startFakeServer(options: {
  readonly behaviour?: Behaviour;
  readonly http?: RequestListener;
  readonly protocols?: readonly string[];
}): Promise<FakeServer> {
  const { behaviour, http, protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] } = options;
  const server = createServer(http);
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  const requests: string[] = [];
  sockets.on('connection', (socket, incoming) => {
    requests.push(incoming.url ?? '');
    socket.on('error', () => undefined);
    behaviour?.(socket, incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  return {
    port,
    transport: localTransport(port),
    requests,
    openSockets: () => sockets.clients.size,
    [Symbol.asyncDispose]: () => closeServer(server, sockets),
  };
}

/** A transport without TLS and credentials to a port of this machine. */
export function localTransport(port: number): Pick<KubeTransport, 'webSocket' | 'stream'> {
  return {
    webSocket: ({ path, query, protocols, signal }) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}${path}?${encodeQuery(query)}`, [...protocols], {
          perMessageDeflate: false,
          skipUTF8Validation: true,
        });
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        socket.once('open', () => {
          socket.pause();
          resolve(socket);
        });
        socket.on('error', reject);
      }),
    stream: ({ path, query }) =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path: `${path}?${encodeQuery(query ?? [])}` }, resolve)
          .on('error', reject)
          .end();
      }),
  };
}

function encodeQuery(query: Query): string {
  return new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
}

async function closeServer(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** A frame of the channel protocol. */
export function frame(channel: number, payload: string | Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(channel), Buffer.from(payload)]);
}

/** Time that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.timer(milliseconds, resolve));
  }

  timer(milliseconds: number, callback: () => void): Disposable {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = until;
  }
}
