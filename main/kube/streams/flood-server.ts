import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { frame, startFakeServer } from './fake-server.ts';

/**
 * A process of its own that floods whoever connects, or lets itself be flooded, so that a test can measure the
 * memory of the other end alone. Prints its port; the command's first word is what to do.
 */
const megabyte = 1024 * 1024;
const chunk = Buffer.alloc(32 * 1024, 'slipway ');

const server = await startFakeServer({
  behaviour: (socket, request) => {
    const [action, amount = '0', pause = '0'] = new URL(request.url ?? '', 'http://x').searchParams.getAll(
      'command',
    );
    const bytes = Number(amount) * megabyte;
    if (action === 'send') {
      let sent = 0;
      const next = (error?: Error | null): void => {
        if (error instanceof Error) return;
        if (sent >= bytes) return socket.send(frame(3, '{"status":"Success"}'));
        sent += chunk.length;
        socket.send(frame(1, chunk), next);
      };
      next();
      return;
    }
    let received = 0;
    socket.pause();
    void delay(Number(pause)).then(() => socket.resume());
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) received += data.length - 1;
      if (data[0] !== 255) return;
      socket.send(frame(1, String(received)));
      socket.send(frame(3, '{"status":"Success"}'));
    });
  },
});
process.stdout.write(`${server.port}\n`);
await once(process, 'disconnect');
await server[Symbol.asyncDispose]();
