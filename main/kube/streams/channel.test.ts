import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { ExecOptions, ExecStream } from '../kube.ts';
import { exec } from './exec.ts';
import { type Behaviour, type FakeServer, frame, ManualClock, startFakeServer } from './fake-server.ts';

const target = { namespace: 'shop', pod: 'web-1', container: 'web' };
const success = frame(3, '{"status":"Success"}');
const servers: FakeServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

interface Run {
  readonly behaviour: Behaviour;
  readonly options?: Partial<ExecOptions>;
  readonly protocols?: readonly string[];
  readonly clock?: Clock;
}

async function run({
  behaviour,
  options,
  protocols,
  clock = systemClock,
}: Run): Promise<ExecStream & { server: FakeServer }> {
  const server = await startFakeServer({ behaviour, ...(protocols === undefined ? {} : { protocols }) });
  servers.push(server);
  const stream = await exec({ transport: server.transport, clock }, target, {
    command: ['true'],
    ...options,
  });
  return Object.assign(stream, { server });
}

function messagesOf(socket: WebSocket): Buffer[] {
  const messages: Buffer[] = [];
  socket.on('message', (data: Buffer) => messages.push(data));
  return messages;
}

function inputOf(stream: ExecStream): Writable {
  if (stream.stdin === undefined) throw new Error('No input was asked for');
  return stream.stdin;
}

function errorOutputOf(stream: ExecStream): Readable {
  if (stream.stderr === undefined) throw new Error('Error output is merged into output');
  return stream.stderr;
}

describe('a command behind a WebSocket', () => {
  it('asks for the command word by word, with the container and the streams it needs', async () => {
    const stream = await run({
      behaviour: (socket) => socket.send(success),
      options: { command: ['sh', '-c', 'echo "$1" & true', 'a b'], stdin: true },
    });
    const url = new URL(stream.server.requests[0] ?? '', 'http://x');
    expect(url.pathname).toBe('/api/v1/namespaces/shop/pods/web-1/exec');
    expect(url.searchParams.getAll('command')).toEqual(['sh', '-c', 'echo "$1" & true', 'a b']);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      container: 'web',
      stdin: 'true',
      stdout: 'true',
      stderr: 'true',
      tty: 'false',
    });
  });

  it('gives output, error output and the exit code', async () => {
    const stream = await run({
      behaviour: (socket) => {
        socket.send(frame(0, ''));
        socket.send(frame(1, 'out '));
        socket.send(frame(2, 'err'));
        socket.send(frame(1, 'more'));
        socket.send(frame(3, '{"status":"Failure","reason":"NonZeroExitCode",'));
        socket.send(frame(3, '"details":{"causes":[{"reason":"ExitCode","message":"7"}]}}'));
        socket.close(1000);
      },
    });
    expect(
      await Promise.all([text(stream.stdout), stream.stderr && text(stream.stderr), stream.status]),
    ).toEqual(['out more', 'err', { kind: 'exited', code: 7 }]);
  });

  it('ends by itself when the server leaves the connection open after the status', async () => {
    const stream = await run({ behaviour: (socket) => (socket.send(frame(1, 'x')), socket.send(success)) });
    expect(await text(stream.stdout)).toBe('x');
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
  });

  it('ends one output at its closing frame while the other goes on', async () => {
    const stream = await run({
      behaviour: (socket) => {
        socket.send(frame(1, 'x'));
        socket.send(frame(255, Uint8Array.of(1)));
        socket.send(frame(1, 'after the end'));
        socket.send(frame(2, 'still here'));
      },
    });
    expect(await text(stream.stdout)).toBe('x');
    expect(String(await once(errorOutputOf(stream), 'data'))).toBe('still here');
    stream.kill();
  });

  it('ignores channels it does not know, and text messages of any kind', async () => {
    const stream = await run({
      behaviour: (socket) => {
        for (const number of [5, 99, 254]) socket.send(frame(number, 'x'));
        socket.send('');
        socket.send(frame(1, 'y'));
        socket.send(success);
      },
    });
    expect(await text(stream.stdout)).toBe('y');
  });

  it.each([
    ['without a closing message', (socket: WebSocket) => socket.terminate()],
    ['with code 1000 and no status', (socket: WebSocket) => socket.close(1000)],
    ['with an error code', (socket: WebSocket) => socket.close(1011, 'timed out')],
  ])('is lost, and no success, when the connection ends %s', async (_name, end) => {
    const stream = await run({
      behaviour: (socket) => socket.send(frame(1, 'part'), () => setTimeout(() => end(socket), 20)),
      options: { stdin: true },
    });
    const lost = expect.objectContaining({ code: 'stream.lost' }) as unknown;
    await expect(text(stream.stdout)).rejects.toEqual(lost);
    expect(await stream.status).toEqual({ kind: 'lost', error: lost });
    expect(await new Promise((resolve) => inputOf(stream).write('x', resolve))).toBeInstanceOf(Error);
    expect(stream.stderr?.errored).toEqual(lost);
    expect(stream.stdin?.errored).toEqual(lost);
  });

  it('does not end the process when nobody listens to a lost stream', async () => {
    const stream = await run({ behaviour: (socket) => socket.terminate(), options: { stdin: true } });
    expect((await stream.status).kind).toBe('lost');
    await delay(20);
  });

  it('says so when the status cannot be read', async () => {
    const stream = await run({
      behaviour: (socket) => (socket.send(frame(3, 'exit 0')), socket.close(1000)),
    });
    expect(await stream.status).toMatchObject({ kind: 'failed', reason: 'MalformedStatus' });
    const long = await run({ behaviour: (socket) => socket.send(frame(3, '['.repeat(70_000))) });
    expect(await long.status).toMatchObject({ kind: 'failed', reason: 'MalformedStatus' });
  });

  it('sends input in frames of at most 32 KiB and then its end', async () => {
    const input = Buffer.alloc(100_000, 'abcdefg');
    let received: Buffer[] = [];
    const stream = await run({
      behaviour: (socket) => {
        received = messagesOf(socket);
        socket.on('message', (data: Buffer) => data[0] === 255 && socket.send(success));
      },
      options: { stdin: true },
    });
    inputOf(stream).end(input);
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
    expect(received.at(-1)).toEqual(Buffer.from([255, 0]));
    const frames = received.slice(0, -1);
    expect(Math.max(...frames.map((message) => message.length))).toBeLessThanOrEqual(32 * 1024);
    expect(Buffer.concat(frames.map((message) => message.subarray(1))).equals(input)).toBe(true);
  });

  it('refuses to end the input on a server without a closing signal, and leaves the command running', async () => {
    const stream = await run({
      behaviour: (socket) => socket.on('message', () => socket.send(frame(1, 'got it'))),
      options: { stdin: true },
      protocols: ['v4.channel.k8s.io'],
    });
    expect(stream.canHalfClose).toBe(false);
    const failed = once(inputOf(stream), 'error');
    inputOf(stream).end('x');
    expect(await failed).toEqual([expect.objectContaining({ code: 'stream.unsupported' })]);
    expect(String(await once(stream.stdout, 'data'))).toBe('got it');
    stream.kill();
  });

  it('sends nothing after the status, neither input nor sizes nor pings', async () => {
    const clock = new ManualClock();
    let received: Buffer[] = [];
    let pings = 0;
    const stream = await run({
      behaviour: (socket) => {
        received = messagesOf(socket);
        socket.on('ping', () => pings++);
        socket.send(success);
      },
      options: { stdin: true, tty: true },
      clock,
    });
    await stream.status;
    stream.resize({ columns: 80, rows: 24 });
    inputOf(stream).write('late');
    await delay(30);
    expect([received, pings]).toEqual([[], 0]);
    clock.advance(100_000);
    await delay(30);
    expect([received, pings]).toEqual([[], 0]);
    expect(stream.server.openSockets()).toBe(0);
    expect(inputOf(stream).errored).toMatchObject({ code: 'stream.lost' });
  });

  it('tells the size of the terminal', async () => {
    let received: Buffer[] = [];
    const stream = await run({
      behaviour: (socket) => {
        received = messagesOf(socket);
        socket.on('message', () => socket.send(success));
      },
      options: { stdin: true, tty: true },
    });
    expect(stream.stderr).toBeUndefined();
    stream.resize({ columns: 195, rows: 41 });
    await stream.status;
    expect(received.map(String)).toEqual(['\u0004{"Width":195,"Height":41}']);
  });

  it('is lost after a minute of silence and not before', async () => {
    const clock = new ManualClock();
    const stream = await run({ behaviour: (socket) => socket.pause(), clock });
    let status: unknown;
    void stream.status.then((value) => (status = value));
    clock.advance(60_000);
    await delay(20);
    expect(status).toBeUndefined();
    clock.advance(15_000);
    expect(await stream.status).toMatchObject({
      kind: 'lost',
      error: { causeText: 'Nothing was heard for 61 seconds.' },
    });
  });

  it('pings into silence only, never into flowing output', async () => {
    const clock = new ManualClock();
    let pings = 0;
    let more: () => void = () => undefined;
    const stream = await run({
      behaviour: (socket) => {
        socket.on('ping', () => pings++);
        more = () => socket.send(frame(1, 'output'));
      },
      clock,
    });
    for (let second = 0; second < 40; second += 10) {
      more();
      await once(stream.stdout, 'data');
      clock.advance(10_000);
      await delay(5);
    }
    expect(pings).toBe(0);
    clock.advance(15_000);
    await delay(20);
    expect(pings).toBe(1);
    stream.kill();
  });

  it('lives as long as pings are answered', async () => {
    const clock = new ManualClock();
    const stream = await run({ behaviour: () => undefined, clock });
    for (let beat = 0; beat < 10; beat++) {
      clock.advance(15_000);
      await delay(5);
    }
    expect(stream.stdout.destroyed).toBe(false);
    stream.kill();
  });

  it('stops with the reason of its signal', async () => {
    const abort = new AbortController();
    const stream = await run({ behaviour: () => undefined, options: { signal: abort.signal } });
    const reading = text(stream.stdout);
    abort.abort();
    await expect(reading).rejects.toBe(abort.signal.reason);
    expect(await stream.status).toEqual({ kind: 'lost', error: abort.signal.reason as unknown });
  });

  it('can be closed while its reader is stalled', async () => {
    const stream = await run({ behaviour: (socket) => socket.send(frame(1, Buffer.alloc(1_000_000))) });
    while (stream.stdout.readableLength === 0) {
      stream.stdout.read(0);
      await delay(5);
    }
    await stream[Symbol.asyncDispose]();
    expect(await stream.status).toMatchObject({ kind: 'lost', error: { code: 'stream.lost' } });
    while (stream.server.openSockets() > 0) await delay(5);
  });

  it('goes on when one output is thrown away', async () => {
    const stream = await run({
      behaviour: (socket) => {
        for (let part = 0; part < 40; part++) socket.send(frame(2, Buffer.alloc(32_000)));
        socket.send(frame(1, 'done'));
        socket.send(success);
      },
    });
    stream.stderr?.destroy();
    expect(String(await buffer(stream.stdout))).toBe('done');
  });
});
