import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Authority } from './certificates.ts';
import { serverNames } from './certificates.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Common name of the client certificate. */
  readonly clientName: string | undefined;
}

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A local server that records what arrives and answers as `handler` says. */
export interface ApiServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Connections accepted so far; with TLS, handshakes finished. */
  readonly connections: () => number;
  readonly sockets: ReadonlySet<Socket>;
  handler: RequestListener;
  /** Without it a request to upgrade is answered as any other. */
  onUpgrade(listener: UpgradeListener): void;
}

export async function startApiServer(options: {
  readonly authority?: Authority;
  readonly handler?: RequestListener;
}): Promise<ApiServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const state = { handler: options.handler ?? ((_request, response) => void response.end('{}')) };
  const onRequest: RequestListener = (request, response) => {
    const certificate =
      'getPeerCertificate' in request.socket ? (request.socket as TLSSocket).getPeerCertificate() : undefined;
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headersDistinct,
      clientName: certificate?.subject?.CN as string | undefined,
    });
    state.handler(request, response);
  };
  const { authority } = options;
  const server =
    authority === undefined
      ? createHttpServer(onRequest)
      : createHttpsServer(
          {
            ...authority.sign('server', serverNames),
            ca: authority.cert,
            requestCert: true,
            rejectUnauthorized: false,
          },
          onRequest,
        );
  server.on(authority === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `${authority === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    sockets,
    connections: () => connections,
    onUpgrade: (listener) => void server.on('upgrade', listener),
    get handler() {
      return state.handler;
    },
    set handler(handler) {
      state.handler = handler;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
