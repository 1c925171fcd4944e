import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type Behaviour, type FakeServer, frame, startFakeServer } from './fake-server.ts';
import { forward } from './forward.ts';

const port8080 = Uint8Array.of(0x90, 0x1f);
const servers: FakeServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

async function open(
  behaviour: Behaviour,
  signal?: AbortSignal,
): Promise<{ stream: Duplex; server: FakeServer }> {
  const server = await startFakeServer({ behaviour });
  servers.push(server);
  const stream = await forward(
    { transport: server.transport, clock: systemClock },
    { namespace: 'shop', pod: 'web-1', port: 8080 },
    signal === undefined ? {} : { signal },
  );
  return { stream, server };
}

const agree: Behaviour = (socket) => {
  socket.send(frame(0, port8080));
  socket.send(frame(1, port8080));
};

describe('a forwarded connection', () => {
  it('asks for its port and carries bytes both ways without the prefixes', async () => {
    const { stream, server } = await open((socket, request) => {
      agree(socket, request);
      socket.on('message', (data: Buffer) => {
        socket.send(frame(0, `echo ${data.subarray(1).toString()}`));
        socket.close(1000);
      });
    });
    stream.write('hello');
    expect(await text(stream)).toBe('echo hello');
    expect(server.requests).toEqual(['/api/v1/namespaces/shop/pods/web-1/portforward?ports=8080']);
  });

  it('finds the prefix in whatever pieces it comes', async () => {
    const { stream } = await open((socket) => {
      socket.send(frame(0, port8080.subarray(0, 1)));
      socket.send(frame(1, port8080));
      socket.send(frame(0, Buffer.concat([port8080.subarray(1), Buffer.from('data')])));
      socket.close(1000);
    });
    expect(await text(stream)).toBe('data');
  });

  it('fails with the words of the error channel', async () => {
    const { stream } = await open((socket, request) => {
      agree(socket, request);
      socket.send(frame(1, 'dial tcp4 127.0.0.1:8080: connect: connection refused'));
      socket.close(1000);
    });
    await expect(text(stream)).rejects.toMatchObject({
      code: 'stream.refused',
      causeText: 'dial tcp4 127.0.0.1:8080: connect: connection refused',
    });
  });

  it('does not take an answer for another port', async () => {
    const { stream } = await open((socket) => socket.send(frame(0, 'PQdata')));
    await expect(text(stream)).rejects.toMatchObject({ code: 'stream.lost' });
  });

  it('is lost, and did not end, when the connection breaks', async () => {
    const { stream } = await open((socket, request) => {
      agree(socket, request);
      socket.send(frame(0, 'half of a download'), () => socket.terminate());
    });
    await expect(text(stream)).rejects.toMatchObject({ code: 'stream.lost' });
  });

  it('keeps what the pod said last when data is still being written', async () => {
    const { stream } = await open((socket, request) => {
      agree(socket, request);
      socket.send(frame(0, '413 too large'));
      socket.close(1000);
    });
    const writing = setInterval(() => stream.write(Buffer.alloc(10_000)), 1);
    await delay(50);
    expect(await text(stream)).toBe('413 too large');
    clearInterval(writing);
  });

  it('keeps reading after its own side has ended', async () => {
    const { stream } = await open((socket, request) => {
      agree(socket, request);
      socket.on('message', () => setTimeout(() => (socket.send(frame(0, 'late')), socket.close(1000)), 30));
    });
    stream.end('request');
    expect(await text(stream)).toBe('late');
  });

  it('stops the sender while nobody reads', async () => {
    let sent = 0;
    const { stream, server } = await open((socket, request) => {
      agree(socket, request);
      const next = (error?: Error | null): void => {
        sent++;
        if (!(error instanceof Error)) socket.send(frame(0, Buffer.alloc(32_000)), next);
      };
      next();
    });
    stream.read(0);
    await delay(300);
    const before = sent;
    await delay(200);
    expect(sent).toBe(before);
    stream.destroy();
    await once(stream, 'close');
    while (server.openSockets() > 0) await delay(5);
  });

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController();
    const { stream } = await open(agree, abort.signal);
    const reading = text(stream);
    abort.abort();
    await expect(reading).rejects.toBe(abort.signal.reason);
  });
});
