import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import { passRequest } from '../../support/pass-request.ts';
import { certificate } from '../../support/recording-proxy.ts';

/** Where a stream of the helper is to break: after so many bytes from now on. */
export interface Truncation {
  readonly command: 'upstream' | 'downstream';
  readonly stream: 'stdin' | 'stdout';
  readonly afterBytes: number;
}

const channels = { stdin: 0, stdout: 1, status: 3, close: 255 };
const success = Buffer.from('{"metadata":{},"status":"Success"}');

/**
 * An API server's front that cuts a stream of an exec at a byte and tells its client that the command succeeded, as a
 * node does whose runtime loses output.
 */
export class ExecProxy implements AsyncDisposable {
  readonly address: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();
  /** Answers upgrades instead of the server, when set. */
  refuse: { readonly status: number; readonly body: string } | undefined;
  /** WebSocket protocols that get through, when set. */
  offer: ((name: string) => boolean) | undefined;
  upgrades = 0;
  #truncation: Truncation | undefined;
  #seen = 0;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(upstream: string): Promise<ExecProxy> {
    const target = new URL(upstream);
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    const server = createServer(certificate(), (request, response) => {
      passRequest(request, response, {
        hostname: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: request.headers,
        rejectUnauthorized: false,
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new ExecProxy(server);
    server.on('connection', (socket: Socket) => {
      proxy.#sockets.add(socket);
      socket.on('close', () => proxy.#sockets.delete(socket));
    });
    server.on('upgrade', (request, socket: Socket, head) => {
      proxy.upgrades++;
      socket.on('error', () => undefined);
      if (proxy.refuse !== undefined) {
        const { status, body } = proxy.refuse;
        socket.end(
          `HTTP/1.1 ${status} Refused\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        );
        return;
      }
      proxy.#pass(sockets, target, request, socket, head);
    });
    return proxy;
  }

  /** Arms one cut; `isDue` tells whether it still waits. */
  truncate(truncation: Truncation): void {
    this.#truncation = truncation;
    this.#seen = 0;
  }

  get isDue(): boolean {
    return this.#truncation !== undefined;
  }

  #pass(sockets: WebSocketServer, target: URL, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const protocols = (request.headers['sec-websocket-protocol'] ?? '')
      .split(/, */)
      .filter(this.offer ?? (() => true));
    const own = /^(connection|upgrade|host|sec-websocket-.*)$/;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !own.test(name)));
    const server = new WebSocket(`wss://${target.host}${request.url ?? ''}`, protocols, {
      headers,
      rejectUnauthorized: false,
      perMessageDeflate: false,
    });
    const command = /command=upstream/.test(request.url ?? '')
      ? 'upstream'
      : /command=downstream/.test(request.url ?? '')
        ? 'downstream'
        : undefined;
    server.on('error', () => socket.destroy());
    server.on('unexpected-response', (_request, answer) => {
      socket.write(
        `HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}\r\nConnection: close\r\n\r\n`,
      );
      answer.pipe(socket);
    });
    server.on('open', () => {
      request.headers['sec-websocket-protocol'] = server.protocol;
      sockets.handleUpgrade(request, socket, head, (client) => {
        let ended = false;
        const relay = (stream: 'stdin' | 'stdout', to: WebSocket) => (data: RawData, isBinary: boolean) => {
          if (ended) return;
          const message = data as Buffer;
          const cut =
            isBinary && message[0] === channels[stream] ? this.#due(command, stream, message) : undefined;
          if (cut === undefined) return to.send(message, { binary: isBinary });
          ended = true;
          to.send(cut);
          // Told that its input ended, the helper ends; the client hears that all went well.
          if (stream === 'stdin' && server.protocol.startsWith('v5'))
            server.send(Buffer.from([channels.close, channels.stdin]));
          setTimeout(() => {
            client.send(Buffer.concat([Buffer.from([channels.status]), success]));
            client.close(1000);
            server.close();
          }, 30);
        };
        client.on('message', relay('stdin', server));
        server.on('message', relay('stdout', client));
        client.on('error', () => server.terminate()).on('close', () => server.close());
        server.on('close', () => client.close());
      });
    });
  }

  /** What still goes through of the message in which the cut lies. */
  #due(
    command: Truncation['command'] | undefined,
    stream: 'stdin' | 'stdout',
    message: Buffer,
  ): Buffer | undefined {
    const truncation = this.#truncation;
    if (truncation?.command !== command || truncation?.stream !== stream) return undefined;
    const left = truncation.afterBytes - this.#seen;
    this.#seen += message.length - 1;
    if (message.length - 1 < left) return undefined;
    this.#truncation = undefined;
    return message.subarray(0, 1 + left);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
