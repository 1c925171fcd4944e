import { open, realpath } from 'node:fs/promises';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import { wireLimits, type DownFrame, type FramePort } from '../../../contract/wire.ts';
import type { Clock } from '../../base/clock.ts';
import { SlipwayError } from '../../base/errors.ts';
import { webSocketPort } from '../../ipc/websocket.ts';
import { awaitToken } from './door.ts';
import { judgeRequest, type Verdict } from './guard.ts';
import { pageHeaders } from './page-headers.ts';
import { staticFile } from './static-path.ts';

const address = '127.0.0.1';
/** Connections of every kind; a browser holds six for files and one for each window. */
const maximumConnections = 128;
const maximumWindows = 32;
/** Windows that have not shown their token yet. */
const maximumKnocking = 8;
/** How long the head of a request may take, and all of it. */
const headWithinMs = 5000;
const requestWithinMs = 10_000;
/** How long windows may take to say goodbye when the host ends. */
const goodbyeMs = 500;

export interface WebHostOptions {
  /** The built window. */
  readonly folder: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** What a window has to show; never sent, never logged. */
  readonly token: string;
  readonly clock: Clock;
  /** Serves a window that has shown the token. */
  readonly accept: (port: FramePort<DownFrame, unknown>) => void;
}

export interface WebHost extends AsyncDisposable {
  readonly port: number;
  /** Contains the token: whoever has it has the user's clusters. */
  readonly url: string;
}

/**
 * Serves the window to browsers of this machine. Rejects with `port.in-use` or `port.forbidden`. It listens on the
 * loopback address alone; since any page and any local program reaches that as well, {@link judgeRequest} looks at where
 * a request comes from, and nothing but the window's own files is had without the token.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const server = createServer({
    headersTimeout: headWithinMs,
    requestTimeout: requestWithinMs,
    keepAliveTimeout: headWithinMs,
    connectionsCheckingInterval: 1000,
  });
  server.maxConnections = maximumConnections;
  // Before it listens: from then on everything is answered, and nothing is left open by a failure.
  const folder = await realpath(options.folder);
  const port = await listen(server, options.port);
  const windows = serveWindows(server, port, options);
  server.on('request', (request, response) => {
    serveFile(folder, judgeRequest(originOf(request, false), port), request, response).catch(() =>
      response.destroy(),
    );
  });
  return {
    port,
    url: `http://${address}:${port}/#token=${options.token}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await windows[Symbol.asyncDispose]();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(error, port)));
    server.listen(port, address, () => {
      // What fails later is one connection that could not be taken, as when files run out: the others live on.
      server.on('error', () => undefined);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function listenFailure(error: NodeJS.ErrnoException, port: number): unknown {
  if (error.code === 'EADDRINUSE')
    return new SlipwayError({
      code: 'port.in-use',
      message: `Port ${port} of this machine is taken.`,
      next: 'Choose another one with --port, or leave it out to take a free one.',
      origin: error,
    });
  if (error.code === 'EACCES')
    return new SlipwayError({
      code: 'port.forbidden',
      message: `Port ${port} of this machine may not be opened by you.`,
      next: 'Choose one above 1023 with --port.',
      origin: error,
    });
  return error;
}

function originOf(request: IncomingMessage, isUpgrade: boolean) {
  const { method = '', url: target = '' } = request;
  return { method, target, host: request.headers.host, origin: request.headers.origin, isUpgrade };
}

async function serveFile(
  folder: string,
  verdict: Verdict,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): void => {
    // What is refused may be followed by a body that nobody wants to read.
    response.writeHead(status, {
      ...pageHeaders(address),
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'close',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
  };
  if (verdict.kind === 'refused')
    return answer(verdict.status, verdict.why, verdict.status === 405 ? { Allow: 'GET, HEAD' } : {});
  const found = staticFile(folder, request.url ?? '');
  await using file = found && (await openInside(folder, found.path));
  if (found === undefined || file === undefined) return answer(404, 'There is no such file.');
  response.writeHead(200, {
    ...pageHeaders(verdict.host),
    'Content-Type': found.type,
    'Content-Length': file.size,
    'Cache-Control': found.immutable ? 'public, max-age=31536000, immutable' : 'no-store',
  });
  if (request.method === 'HEAD' || file.size === 0) response.end();
  else await pipeline(file.handle.createReadStream({ autoClose: false, end: file.size - 1 }), response);
}

/** Opens a plain file, unless a link leads out of the folder. */
async function openInside(folder: string, path: string) {
  try {
    const real = await realpath(path);
    if (!real.startsWith(folder + sep)) return undefined;
    const handle = await open(real);
    const info = await handle.stat();
    if (!info.isFile()) {
      await handle.close();
      return undefined;
    }
    return { handle, size: info.size, [Symbol.asyncDispose]: () => handle.close() };
  } catch {
    return undefined;
  }
}

function serveWindows(server: Server, port: number, options: WebHostOptions): AsyncDisposable {
  const { token, clock, accept } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: wireLimits.messageBytes,
    perMessageDeflate: false,
  });
  let knocking = 0;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const verdict = judgeRequest(originOf(request, true), port);
    if (verdict.kind === 'refused') return refuseUpgrade(socket, verdict.status);
    if (knocking >= maximumKnocking || sockets.clients.size >= maximumWindows)
      return refuseUpgrade(socket, 503);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      knocking += 1;
      awaitToken(opened, {
        token,
        clock,
        onLetIn: () => accept(webSocketPort(opened, clock)),
        onDone: () => {
          knocking -= 1;
        },
      });
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      const open = [...sockets.clients];
      const gone = Promise.all(
        open.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
      );
      for (const socket of open) socket.close(1001);
      const deadline = clock.timer(goodbyeMs, () => {
        for (const socket of open) socket.terminate();
      });
      await gone;
      deadline[Symbol.dispose]();
      sockets.close();
    },
  };
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}
