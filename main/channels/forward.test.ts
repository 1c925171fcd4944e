import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { maximumConnections, openForward, type Forward, type ForwardOptions } from './forward.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item[Symbol.asyncDispose]();
});

/** Pods as programs on other ports of this machine; a stream to one is a plain connection. */
class Pods {
  readonly #ports = new Map<string, number>();
  current = 'web-1';
  streams = new Set<Duplex>();
  asked = 0;

  async run(name: string, handler: RequestListener | ((socket: Socket) => void), raw = false): Promise<void> {
    const server: Server = raw
      ? createServer({ allowHalfOpen: true }, handler as (socket: Socket) => void)
      : createHttpServer(handler as RequestListener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#ports.set(name, (server.address() as AddressInfo).port);
    open.push({ [Symbol.asyncDispose]: async () => void server.close() });
  }

  readonly kube: Pick<Kube, 'forward'> = {
    forward: async ({ pod }, options) => {
      const port = this.#ports.get(pod);
      if (port === undefined) throw refused(`pod ${pod} not found`);
      const stream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      options?.signal?.addEventListener('abort', () => stream.destroy(options.signal?.reason as Error));
      await once(stream, 'connect');
      this.streams.add(stream);
      stream.once('close', () => this.streams.delete(stream));
      return stream;
    },
  };

  async forward(options: Partial<ForwardOptions> = {}): Promise<Forward> {
    const forward = await openForward({
      kube: this.kube,
      resolve: async () => {
        this.asked++;
        return { namespace: 'shop', pod: this.current, port: 8080 };
      },
      localPort: 0,
      ...options,
    });
    open.push(forward);
    return forward;
  }
}

function refused(cause: string): SlipwayError {
  return new SlipwayError({ code: 'stream.refused', message: 'No.', cause, next: 'Wait.' });
}

async function get(port: number, path = '/', host = '127.0.0.1'): Promise<string> {
  const response = await fetch(`http://${host}:${port}${path}`, { headers: { connection: 'close' } });
  return response.text();
}

describe('a local port that leads to a pod', () => {
  it('listens on both names of localhost and says so', async () => {
    const pods = new Pods();
    await pods.run('web-1', (_request, response) => response.end('hello'));
    const forward = await pods.forward();
    expect(forward.bound).toEqual([`127.0.0.1:${forward.localPort}`, `[::1]:${forward.localPort}`]);
    expect(await get(forward.localPort)).toBe('hello');
    expect(await get(forward.localPort, '/', '[::1]')).toBe('hello');
  });

  it('leaves out an address that the machine does not have', async () => {
    const pods = new Pods();
    await pods.run('web-1', (_request, response) => response.end('hello'));
    const forward = await pods.forward({ addresses: ['127.0.0.1', '2001:db8::1'] });
    expect(forward.bound).toEqual([`127.0.0.1:${forward.localPort}`]);
    expect(await get(forward.localPort)).toBe('hello');
  });

  it('leads to the next pod on the same port when the pod is replaced', async () => {
    const pods = new Pods();
    await pods.run('web-1', (_request, response) => response.end('old'));
    await pods.run('web-2', (_request, response) => response.end('new'));
    const forward = await pods.forward();
    expect(await get(forward.localPort)).toBe('old');
    const { localPort } = forward;
    pods.current = 'web-2';
    expect(await get(localPort)).toBe('new');
  });

  it('says that it failed and why, and when it works again', async () => {
    const pods = new Pods();
    const forward = await pods.forward();
    const seen: string[] = [];
    forward.onHealth((health) => seen.push(health.kind === 'failed' ? health.error.causeText : health.kind));
    await eventually(() => expect(seen).toContain('pod web-1 not found'));
    await pods.run('web-1', (_request, response) => response.end('here'));
    await eventually(() => expect(forward.health.kind).toBe('active'));
    expect(seen.at(-1)).toBe('active');
  });

  it('frees everything of 50 cancelled downloads and then answers a small request', async () => {
    const pods = new Pods();
    await pods.run('web-1', (request, response) => {
      if (request.url !== '/big') return void response.end('small');
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    });
    const forward = await pods.forward();
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(forward.localPort, '127.0.0.1');
        socket.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
        socket.destroy();
      }),
    );
    expect(await get(forward.localPort, '/small')).toBe('small');
    await eventually(() => expect([forward.connections, pods.streams.size]).toEqual([0, 0]));
  });

  it('frees a connection whose program left without waiting for the answer', async () => {
    const pods = new Pods();
    await pods.run('web-1', (request, response) => {
      if (request.url === '/slow') return;
      response.end('quick');
    });
    const forward = await pods.forward();
    const socket = connect(forward.localPort, '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(pods.streams.size).toBeGreaterThan(0));
    socket.destroy();
    await eventually(() => expect([forward.connections, pods.streams.size]).toEqual([0, 0]), 5_000);
  });

  it('keeps reading for a program that has ended its sending', async () => {
    const pods = new Pods();
    await pods.run(
      'web-1',
      (socket: Socket) => void socket.on('data', () => setTimeout(() => socket.end('late'), 100)),
      true,
    );
    const forward = await pods.forward();
    const socket = connect({ port: forward.localPort, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('request');
    expect(await text(socket)).toBe('late');
  });

  it('resets the local connection when the stream breaks, so that a cut download is not taken for a whole one', async () => {
    const pods = new Pods();
    await pods.run(
      'web-1',
      (socket: Socket) => void socket.write('half', () => setTimeout(() => socket.resetAndDestroy(), 20)),
      true,
    );
    const forward = await openForward({
      kube: {
        forward: async () => {
          const [ours, theirs] = duplexPair();
          theirs.write('half');
          setTimeout(() => ours.destroy(refused('gone')), 300);
          return ours;
        },
      },
      resolve: async () => ({ namespace: 'shop', pod: 'web-1', port: 8080 }),
      localPort: 0,
    });
    open.push(forward);
    await expect(text(connect(forward.localPort, '127.0.0.1'))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('carries 256 connections at once and lets more wait', async () => {
    const pods = new Pods();
    const held: (() => void)[] = [];
    await pods.run('web-1', (_request, response) => void held.push(() => response.end('done')));
    const forward = await pods.forward();
    await eventually(() => expect(forward.health.kind).toBe('active'));
    await eventually(() => expect(pods.streams.size).toBe(0));
    const answers = Array.from({ length: maximumConnections + 20 }, () => get(forward.localPort));
    await eventually(() => expect(held.length).toBe(maximumConnections));
    await delay(50);
    expect(held.length).toBe(maximumConnections);
    const releasing = setInterval(() => held.splice(0).forEach((end) => end()), 10);
    open.push({ [Symbol.asyncDispose]: async () => clearInterval(releasing) });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']));
  });

  it('names who holds a taken port, proposes a free one and takes none', async () => {
    const holder = createServer().listen(0, '::1');
    await once(holder, 'listening');
    open.push({ [Symbol.asyncDispose]: async () => void holder.close() });
    const { port } = holder.address() as AddressInfo;
    const error: unknown = await new Pods().forward({ localPort: port }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'port.in-use',
      message: `[::1]:${port} is taken on this machine.`,
      causeText: expect.stringContaining(`(process ${process.pid})`) as string,
      next: expect.stringMatching(/: \d+ is free/) as string,
    });
    await once(createServer().listen(port, '127.0.0.1').unref(), 'listening');
  });

  it('frees its port and its connections at once when disposed', async () => {
    const pods = new Pods();
    await pods.run('web-1', () => undefined);
    const forward = await pods.forward();
    const socket = connect(forward.localPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(forward.connections).toBe(1));
    const started = Date.now();
    await forward[Symbol.asyncDispose]();
    expect(Date.now() - started).toBeLessThan(1_000);
    await eventually(() => expect(pods.streams.size).toBe(0));
    await once(createServer().listen(forward.localPort, '127.0.0.1').unref(), 'listening');
  });
});
