import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A way from a browser to this machine's servers that can be cut and mended, as a proxy that the browser uses. */
export interface CutProxy extends AsyncDisposable {
  readonly address: string;
  /** Refuses connections and cuts those that there are, until called with false. */
  cut(isCut: boolean): void;
}

export async function startCutProxy(): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const proxy = createServer((request, response) => {
    const { method, headers } = request;
    const passed = httpRequest(new URL(request.url ?? ''), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  // WebSockets go through a tunnel.
  proxy.on('connect', (request, socket: Socket, head) => {
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const remote = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      remote.write(head);
      remote.pipe(socket).pipe(remote);
    });
    remote.on('error', () => socket.destroy());
    socket.on('error', () => remote.destroy());
    socket.on('close', () => remote.destroy());
  });
  proxy.on('connection', (socket: Socket) => {
    if (isCut) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut(wanted) {
      isCut = wanted;
      if (isCut) for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
