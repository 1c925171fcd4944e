// A TCP proxy whose line can be cut, blocked and slowed down. In a thread of its own, so that it stays a line while
// the test is busy.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProxyCommand } from './tcp-proxy.ts';

const { host, port } = workerData as { readonly host: string; readonly port: number };
interface Line {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing passes any more, ever: as after a sleep behind a NAT. */
  dead: boolean;
}
const lines = new Set<Line>();
let refused = false;
let blocked = false;
let delayMs = 0;

const proxy = createServer((client) => {
  if (refused) return void client.resetAndDestroy();
  const server = connect({ host, port });
  const line = { client, server, dead: false };
  lines.add(line);
  client.setNoDelay(true);
  server.setNoDelay(true);
  pass(line, client, server);
  pass(line, server, client);
  const close = (): void => {
    // On a dead line not even the end of the other side is heard of.
    if (line.dead || blocked) return;
    lines.delete(line);
    client.destroy();
    server.destroy();
  };
  client.on('error', close).on('close', close);
  server.on('error', close).on('close', close);
  if (blocked) for (const socket of [client, server]) socket.pause();
  return undefined;
});

function pass(line: Line, from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => {
    if (line.dead) return;
    if (delayMs > 0) {
      setTimeout(() => to.write(chunk), delayMs);
      return;
    }
    if (!to.write(chunk)) {
      from.pause();
      to.once('drain', () => {
        if (!blocked && !line.dead) from.resume();
      });
    }
  });
  from.on('end', () => {
    if (!line.dead) setTimeout(() => to.end(), delayMs);
  });
}

function run(command: ProxyCommand): number {
  const count = lines.size;
  switch (command.kind) {
    case 'cut':
      for (const { client, server } of lines) {
        client.resetAndDestroy();
        server.resetAndDestroy();
      }
      lines.clear();
      break;
    case 'refuse':
      refused = command.on;
      break;
    case 'block':
      blocked = command.on;
      for (const { client, server, dead } of lines) {
        for (const socket of [client, server])
          if (blocked || dead) socket.pause();
          else socket.resume();
      }
      break;
    case 'kill':
      for (const line of lines) {
        line.dead = true;
        line.client.pause();
        line.server.pause();
      }
      break;
    case 'delay':
      delayMs = command.ms;
  }
  return count;
}

parentPort?.on('message', ({ id, command }: { readonly id: number; readonly command: ProxyCommand }) => {
  parentPort?.postMessage({ id, count: run(command) });
});
proxy.listen(0, '127.0.0.1', () => parentPort?.postMessage({ port: (proxy.address() as AddressInfo).port }));
