import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { method } from '../../../contract/define.ts';
import { wireLimits } from '../../../contract/wire.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { systemClock } from '../../base/clock.ts';
import { createDispatcher } from '../../ipc/dispatcher.ts';
import { startWebHost, type WebHost } from './server.ts';

const token = 'the-right-token';

describe('the web host', () => {
  let root: string;
  let host: WebHost;
  let connected = 0;
  let closed = 0;
  const calls: unknown[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'slipway-web-'));
    await mkdir(join(root, 'window/assets'), { recursive: true });
    await writeFile(join(root, 'window/index.html'), '<p>the window</p>');
    await writeFile(join(root, 'window/assets/index-BkSi4GOj.js'), 'export {};');
    await writeFile(join(root, 'window/empty.js'), '');
    await writeFile(join(root, 'secret.js'), 'secret');
    await symlink(join(root, 'secret.js'), join(root, 'window/link.js'));
    await mkdir(join(root, 'window-other'));
    await writeFile(join(root, 'window-other/index.html'), 'secret');
    const dispatcher = createDispatcher(
      {
        'test.call': async (input: unknown) => {
          calls.push(input);
          return 'answer';
        },
      },
      {
        contract: { 'test.call': method<string>()(z.strictObject({ text: z.string() })) },
        clock: systemClock,
        onBug: (error) => {
          throw error;
        },
      },
    );
    host = await startWebHost({
      folder: join(root, 'window'),
      port: 0,
      token,
      clock: systemClock,
      accept(port) {
        connected += 1;
        port.onClose(() => (closed += 1));
        dispatcher.connect(port);
      },
    });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });

  /** What is sent exactly as it stands here; the answer when the other side has closed. */
  async function raw(text: string): Promise<string> {
    const socket = connect(host.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.setEncoding('latin1').on('data', (data) => (answer += String(data)));
    socket.write(text);
    await once(socket, 'close');
    return answer;
  }
  const get = (target: string, headers: Record<string, string> = {}, verb = 'GET'): Promise<string> => {
    const all = { Host: `127.0.0.1:${host.port}`, Connection: 'close', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return raw(`${verb} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  };
  const statusOf = (answer: string): number => Number(answer.split(' ')[1]);

  describe('serves the window', () => {
    it('with the headers that keep it to itself', async () => {
      const answer = await get('/');
      expect(statusOf(answer)).toBe(200);
      expect(answer).toContain('<p>the window</p>');
      const head = answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase();
      expect(head).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'");
      expect(head).toContain(`connect-src 'self' ws://127.0.0.1:${host.port};`);
      expect(head).toContain("frame-ancestors 'none'");
      expect(head).toContain('x-content-type-options: nosniff');
      expect(head).toContain('cache-control: no-store');
      expect(head).toContain('cross-origin-resource-policy: same-origin');
      expect(head).not.toMatch(/set-cookie|access-control|unsafe-eval|server:|x-powered-by/);
    });

    it('and lets a browser keep what never changes', async () => {
      expect((await get('/assets/index-BkSi4GOj.js')).toLowerCase()).toContain(
        'cache-control: public, max-age=31536000, immutable',
      );
    });

    it('without a body for HEAD, and an empty one for an empty file', async () => {
      const head = await get('/', {}, 'HEAD');
      expect(head).toContain('Content-Length: 17');
      expect(head.endsWith('\r\n\r\n')).toBe(true);
      expect(statusOf(await get('/empty.js'))).toBe(200);
    });
  });

  describe('refuses', () => {
    it.each(['/missing.js', '/assets', '/assets/', '/link.js', '/..%2fsecret.js', '/../secret.js'])(
      'what is not in its folder: %s',
      async (target) => {
        const answer = await get(target);
        expect(statusOf(answer)).toBe(404);
        expect(answer).not.toContain('secret\n');
        expect(answer.toLowerCase()).toContain("content-security-policy: default-src 'none'");
      },
    );
    it.each(['/..%5csecret.js', '/%2e%2e%2fwindow-other/index.html', '/%00', '/.env'])(
      'what is written to get out: %s',
      async (target) => expect(statusOf(await get(target))).toBe(404),
    );
    it('a name that was made to point here', async () => {
      expect(statusOf(await get('/', { Host: 'evil.example' }))).toBe(403);
      expect(statusOf(await get('/', { Host: `evil.example:${host.port}` }))).toBe(403);
    });
    it('pages of others', async () => {
      expect(statusOf(await get('/', { Origin: 'http://evil.example' }))).toBe(403);
    });
    it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])('%s', async (verb) => {
      const answer = await get('/', {}, verb);
      expect(statusOf(answer)).toBe(405);
      expect(answer).toContain('Allow: GET, HEAD');
      expect(answer.toLowerCase()).not.toContain('access-control');
    });
    it('a head that is too large, and what is no HTTP', async () => {
      expect(statusOf(await get('/', { 'X-Much': 'x'.repeat(40_000) }))).toBe(431);
      expect(statusOf(await raw('hello\r\n\r\n'))).toBe(400);
    });
    it('a head that does not come to its end', { timeout: 20_000 }, async () => {
      const began = performance.now();
      await raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n`);
      expect(performance.now() - began).toBeLessThan(10_000);
    });
    it('who says nothing at all', { timeout: 20_000 }, async () => {
      const began = performance.now();
      await raw('');
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });

  describe('lets a window in', () => {
    const dial = (options: { origin?: string | undefined; host?: string; path?: string } = {}): WebSocket => {
      const own = `127.0.0.1:${host.port}`;
      const origin = 'origin' in options ? options.origin : `http://${own}`;
      return new WebSocket(`ws://${own}${options.path ?? '/wire'}`, {
        headers: {
          ...(origin === undefined ? {} : { Origin: origin }),
          ...(options.host === undefined ? {} : { Host: options.host }),
        },
      });
    };
    /** The status of a refused upgrade, or the code that it was closed with. */
    const refusal = (socket: WebSocket): Promise<number> =>
      new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => {
          resolve(response.statusCode ?? 0);
          response.destroy();
        });
        socket.on('error', () => undefined);
        socket.on('close', (code) => resolve(code));
      });
    async function letIn(): Promise<WebSocket> {
      const socket = dial();
      await once(socket, 'open');
      socket.send(JSON.stringify({ token }));
      const [data] = (await once(socket, 'message')) as [Buffer];
      expect(data.toString()).toBe('{"ok":true}');
      return socket;
    }

    it('that shows the token, and answers it', async () => {
      const socket = await letIn();
      socket.send(JSON.stringify({ t: 'call', id: 1, name: 'test.call', input: { text: 'é' } }));
      const [data] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(data.toString())).toEqual({ t: 'result', id: 1, output: 'answer' });
      const before = closed;
      socket.close();
      await eventually(() => expect(closed).toBe(before + 1));
    });

    it.each([
      ['from another page', { origin: 'http://evil.example' }, 403],
      ['from an app on another port', { origin: 'http://127.0.0.1:1' }, 403],
      ['without Origin', { origin: undefined }, 403],
      ['from a page without origin', { origin: 'null' }, 403],
      ['under another name', { host: 'evil.example', origin: 'http://evil.example' }, 403],
      ['at another path', { path: '/' }, 404],
    ])('not %s', async (_what, options, status) => {
      expect(await refusal(dial(options))).toBe(status);
    });

    it.each([
      ['a wrong token', JSON.stringify({ token: 'the-wrong-token' })],
      ['an empty token', JSON.stringify({ token: '' })],
      ['no token', JSON.stringify({})],
      ['a token that is no text', JSON.stringify({ token: [token] })],
      ['an inherited token', '{"__proto__":{"token":"the-right-token"}}'],
      ['no JSON', token],
      ['a token that goes on', JSON.stringify({ token, more: 'x'.repeat(300) })],
      ['bytes', Buffer.from(JSON.stringify({ token }))],
    ])('not with %s', async (_what, message) => {
      const before = connected;
      const socket = dial();
      await once(socket, 'open');
      const refused = refusal(socket);
      socket.send(message);
      socket.send(JSON.stringify({ token }));
      socket.send(JSON.stringify({ t: 'call', id: 1, name: 'test.call', input: { text: 'sneaked in' } }));
      expect(await refused).toBe(4401);
      expect(connected).toBe(before);
      expect(calls).not.toContainEqual({ text: 'sneaked in' });
    });

    it('not when it takes too long', { timeout: 15_000 }, async () => {
      const socket = dial();
      await once(socket, 'open');
      const began = performance.now();
      expect(await refusal(socket)).toBe(4401);
      expect(performance.now() - began).toBeGreaterThan(4000);
      expect(performance.now() - began).toBeLessThan(8000);
    });

    it('and nobody holds a place at the door by not going', async () => {
      const own = `127.0.0.1:${host.port}`;
      const socket = connect(host.port, '127.0.0.1');
      socket.write(
        `GET /wire HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      );
      await once(socket, 'data');
      const began = performance.now();
      // A text of two characters, masked with nothing; the goodbye that comes back is not answered.
      socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]));
      socket.on('error', () => undefined).resume();
      await once(socket, 'close');
      expect(performance.now() - began).toBeLessThan(3000);
    });

    it('not when many stand at the door already', { timeout: 15_000 }, async () => {
      const waiting = Array.from({ length: 8 }, () => dial());
      await Promise.all(waiting.map((socket) => once(socket, 'open')));
      expect(await refusal(dial())).toBe(503);
      for (const socket of waiting) socket.terminate();
      await eventually(async () => (await letIn()).terminate());
    });

    it('and closes it when a message is too long, and others live on', async () => {
      const other = await letIn();
      const socket = await letIn();
      const text = 'x'.repeat(wireLimits.messageBytes);
      const refused = refusal(socket);
      socket.send(JSON.stringify({ t: 'call', id: 1, name: 'test.call', input: { text } }));
      expect(await refused).toBe(1009);
      other.send(JSON.stringify({ t: 'call', id: 1, name: 'test.call', input: { text: 'short' } }));
      const [data] = (await once(other, 'message')) as [Buffer];
      expect(JSON.parse(data.toString())).toMatchObject({ t: 'result' });
      other.terminate();
    });

    it('and refuses what is nested without end', async () => {
      const socket = await letIn();
      const deep = '['.repeat(400_000) + ']'.repeat(400_000);
      socket.send(`{"t":"call","id":1,"name":"test.call","input":${deep}}`);
      const [data] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(data.toString())).toMatchObject({
        t: 'error',
        id: 1,
        error: { code: 'contract.too-much' },
      });
      socket.terminate();
    });

    it('and closes all when it ends', async () => {
      const short = await startWebHost({
        folder: join(root, 'window'),
        port: 0,
        token,
        clock: systemClock,
        accept: () => undefined,
      });
      const own = `127.0.0.1:${short.port}`;
      const socket = new WebSocket(`ws://${own}/wire`, { origin: `http://${own}` });
      await once(socket, 'open');
      const gone = refusal(socket);
      await short[Symbol.asyncDispose]();
      expect(await gone).toBe(1001);
      await expect(fetch(`http://${own}/`)).rejects.toBeDefined();
    });
  });

  it('listens on the loopback address alone, and says whose a port is that is taken', async () => {
    expect(host.url).toBe(`http://127.0.0.1:${host.port}/#token=${token}`);
    const again = startWebHost({
      folder: join(root, 'window'),
      port: host.port,
      token,
      clock: systemClock,
      accept: () => undefined,
    });
    await expect(again).rejects.toMatchObject({ code: 'port.in-use' });
  });
});
