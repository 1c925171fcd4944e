import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A local proxy that records where it was asked to connect to. */
export interface ProxyServer extends AsyncDisposable {
  readonly port: number;
  readonly targets: readonly string[];
}

/** Answers CONNECT; every name leads to the loopback address. `refuse` is the status that it answers instead. */
export async function startHttpProxy(refuse?: number): Promise<ProxyServer> {
  const server = createServer();
  const targets: string[] = [];
  server.on('connect', (request, socket: Socket, head) => {
    targets.push(request.url ?? '');
    socket.on('error', () => undefined);
    if (refuse !== undefined)
      return void socket.end(`HTTP/1.1 ${refuse} No\r\nContent-Length: 4\r\n\r\nnope`);
    const upstream = connect(Number(request.url?.split(':').pop()), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  return listen(server, targets);
}

/** A SOCKS 5 proxy without sign-in, as small as a test needs it: each message is one chunk. */
export async function startSocksProxy(): Promise<ProxyServer> {
  const targets: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        const isName = request[3] === 3;
        const end = isName ? 5 + (request[4] ?? 0) : 8;
        const host = isName ? request.subarray(5, end).toString() : [...request.subarray(4, 8)].join('.');
        const port = request.readUInt16BE(end);
        targets.push(`${host}:${port}`);
        const upstream = connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
      });
    });
  });
  return listen(server, targets);
}

async function listen(server: Server, targets: readonly string[]): Promise<ProxyServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
