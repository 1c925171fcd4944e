import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogOptions } from '../kube.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { logQuery, logs } from './logs.ts';

const target = { namespace: 'shop', pod: 'web-1', container: 'web' };
const servers: FakeServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

async function open(http: RequestListener, options: LogOptions = {}): Promise<Readable> {
  const server = await startFakeServer({ http });
  servers.push(server);
  return logs({ transport: server.transport }, target, options);
}

describe('the log of a container', () => {
  it('is asked for with what was asked and nothing else', () => {
    expect(logQuery({ namespace: 'shop', pod: 'web-1' }, {})).toEqual([]);
    expect(
      logQuery(target, {
        follow: true,
        previous: true,
        timestamps: true,
        tailLines: 0,
        sinceTime: '2024-01-02T03:04:05Z',
      }),
    ).toEqual([
      ['container', 'web'],
      ['follow', 'true'],
      ['previous', 'true'],
      ['timestamps', 'true'],
      ['tailLines', '0'],
      ['sinceTime', '2024-01-02T03:04:05Z'],
    ]);
  });

  it('is read to its end', async () => {
    expect(await text(await open((_request, response) => response.end('one\ntwo\n')))).toBe('one\ntwo\n');
  });

  it('is lost, not ended, when the connection breaks, and nobody needs to listen', async () => {
    const http: RequestListener = (_request, response) => {
      response.write('one\n');
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    };
    await expect(text(await open(http))).rejects.toMatchObject({ code: 'stream.lost' });
    await open(http);
    await delay(60);
  });

  it('stays at the server while nobody reads', async () => {
    let written = 0;
    const stream = await open((_request, response) => {
      const next = (): void => {
        written++;
        response.write(Buffer.alloc(32_000), (error) => {
          if (!(error instanceof Error)) next();
        });
      };
      next();
    });
    stream.read(0);
    await delay(300);
    const before = written;
    await delay(200);
    expect(written).toBe(before);
    stream.destroy();
  });

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController();
    const stream = await open((_request, response) => void response.write('one\n'), {
      follow: true,
      signal: abort.signal,
    });
    const reading = text(stream);
    abort.abort();
    await expect(reading).rejects.toBe(abort.signal.reason);
  });
});
