import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createCalls } from './client.ts';
import type { WatchEvent } from './kube.ts';
import { listAll } from './list.ts';
import { createProbe } from './probe.ts';
import { resourceTypes } from './resource-types.ts';
import { startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';
import { connect } from './testing/connect.ts';
import type { KubeTransport } from './transport.ts';
import { startWatch } from './watch.ts';
import type { WatchBounds } from './watch.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

const pod = (name: string, version: number): Pod => ({
  metadata: { name, namespace: 'n', uid: name, resourceVersion: String(version) },
});

/** Says yes to a list and lets the test hold each watch in its hands. */
interface Script {
  items: readonly Pod[];
  version: number;
  readonly watches: { readonly url: URL; readonly response: ServerResponse }[];
  /** When set, lists and watches are answered by it. */
  refuse: ((url: URL, response: ServerResponse) => boolean) | undefined;
}

let server: ApiServer;
let transport: KubeTransport;
let script: Script;
let seen: WatchEvent<Pod>[];
let lists: number;
let running: AsyncDisposable | undefined;

beforeEach(async () => {
  seen = [];
  lists = 0;
  script = { items: [pod('a', 1)], version: 10, watches: [], refuse: undefined };
  server = await startApiServer({
    handler: (request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      if (script.refuse?.(url, response)) return;
      if (url.pathname === '/version') return void response.end('{}');
      if (url.searchParams.get('watch') !== '1') {
        lists += 1;
        const { items, version } = script;
        return void response.end(JSON.stringify({ metadata: { resourceVersion: String(version) }, items }));
      }
      response.flushHeaders();
      script.watches.push({ url, response });
    },
  });
  transport = connect({ server: server.address }, {});
});

afterEach(async () => {
  await running?.[Symbol.asyncDispose]();
  await transport[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Ends with the test. */
function watch(bounds: Partial<WatchBounds> = {}): AsyncDisposable {
  running = startWatch<Pod>({
    transport,
    clock: systemClock,
    list: (signal) => listAll(transport, resourceTypes.pod, 'n', { signal }),
    type: resourceTypes.pod,
    namespace: 'n',
    selectors: { labelSelector: 'app=web' },
    probe: createProbe(transport, systemClock),
    bounds: { backoffMs: [10, 50], ...bounds },
    listener: (event) => seen.push(event),
  });
  return running;
}

const kinds = (): string[] => seen.map(({ kind }) => kind);
const opened = (count: number): Promise<void> =>
  expect.poll(() => script.watches.length, { timeout: 5_000 }).toBe(count);
const last = (): ServerResponse => {
  const response = script.watches.at(-1)?.response;
  if (response === undefined) throw new Error('No watch is open');
  return response;
};
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

describe('a watch', () => {
  it('lists, then follows from there with bookmarks and a bound', async () => {
    watch();
    await opened(1);
    expect(seen).toEqual([{ kind: 'reset', items: [pod('a', 1)] }]);
    const query = script.watches[0]?.url.searchParams;
    expect(query?.get('resourceVersion')).toBe('10');
    expect(query?.get('allowWatchBookmarks')).toBe('true');
    expect(query?.get('labelSelector')).toBe('app=web');
    expect(Number(query?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(240);
    last().write(
      line('ADDED', pod('b', 11)) + line('MODIFIED', pod('b', 12)) + line('DELETED', pod('b', 13)),
    );
    await expect.poll(kinds, { timeout: 5_000 }).toEqual(['reset', 'added', 'modified', 'deleted']);
    expect(seen[3]).toEqual({ kind: 'deleted', object: pod('b', 13) });
  });

  it('reads events that arrive in pieces', async () => {
    watch();
    await opened(1);
    const bytes = Buffer.from(line('ADDED', pod('größe', 11)));
    for (const byte of bytes) {
      last().write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => seen[1]).toEqual({ kind: 'added', object: pod('größe', 11) });
  });

  it('goes on from the last bookmark when the server ends it, and says nothing of it', async () => {
    watch({ settledMs: 0 });
    await opened(1);
    last().end(line('BOOKMARK', pod('', 42)));
    await opened(2);
    expect(script.watches[1]?.url.searchParams.get('resourceVersion')).toBe('42');
    expect(kinds()).toEqual(['reset']);
  });

  it('says at once that the connection is lost, and goes on where it stopped', async () => {
    watch();
    await opened(1);
    last().write(line('ADDED', pod('b', 11)));
    await expect.poll(kinds, { timeout: 5_000 }).toEqual(['reset', 'added']);
    last().destroy();
    await opened(2);
    expect(script.watches[1]?.url.searchParams.get('resourceVersion')).toBe('11');
    await expect.poll(kinds, { timeout: 5_000 }).toEqual(['reset', 'added', 'stale', 'reset']);
    expect(seen[3]).toEqual({ kind: 'reset', items: [pod('a', 1), pod('b', 11)] });
    expect(lists).toBe(1);
  });

  it('does not take half an event for a whole one', async () => {
    watch();
    await opened(1);
    last().end(line('ADDED', pod('b', 11)).slice(0, -1));
    await opened(2);
    expect(script.watches[1]?.url.searchParams.get('resourceVersion')).toBe('10');
  });

  it.each([
    ['in an event', () => void last().write(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' }))],
    [
      'as an answer',
      () => {
        script.refuse = (url, response) => {
          if (url.searchParams.get('watch') !== '1') return false;
          script.refuse = undefined;
          response.writeHead(410).end(JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired' }));
          return true;
        };
        last().destroy();
      },
    ],
  ])('lists anew when the history is gone, told %s', async (_name, expire) => {
    watch();
    await opened(1);
    script.items = [pod('c', 20)];
    script.version = 20;
    expire();
    await opened(2);
    expect(lists).toBe(2);
    expect(seen.at(-1)).toEqual({ kind: 'reset', items: [pod('c', 20)] });
  });

  it('tells why it cannot begin, keeps trying with growing pauses, and begins in the end', async () => {
    let refusals = 0;
    script.refuse = (_url, response) => {
      refusals += 1;
      if (refusals > 4) return false;
      response
        .writeHead(403)
        .end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }));
      return true;
    };
    watch();
    await opened(1);
    expect(kinds()).toEqual(['stale', 'stale', 'stale', 'stale', 'reset']);
    expect(seen[0]).toMatchObject({
      error: { code: 'cluster.forbidden', message: 'You may not read pods in n.' },
    });
  });

  it('is taken for lost when the server says nothing at all for too long', async () => {
    watch({ probeMs: 40, inactivityMs: 150 });
    await opened(2);
    expect(kinds().slice(0, 2)).toEqual(['reset', 'stale']);
    expect(seen[1]).toMatchObject({ error: { code: 'cluster.timeout' } });
  });

  it('is taken for lost when it is silent and the server gives no sign of life', async () => {
    script.refuse = (url, response) => {
      if (url.pathname === '/version') response.socket?.destroy();
      return url.pathname === '/version';
    };
    watch({ probeMs: 40, inactivityMs: 60_000 });
    await opened(1);
    await expect.poll(kinds, { timeout: 5_000 }).toContain('stale');
  });

  it('stays as it is when it is silent and the server answers', async () => {
    watch({ probeMs: 20, inactivityMs: 60_000 });
    await opened(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(script.watches).toHaveLength(1);
    expect(kinds()).toEqual(['reset']);
    expect(server.requests.filter(({ path }) => path === '/version')).toHaveLength(1);
  });

  it('does not keep a line without end', async () => {
    watch({ lineBytes: 100_000 });
    await opened(1);
    last().write('x'.repeat(200_000));
    await expect.poll(kinds, { timeout: 5_000 }).toContain('stale');
  });

  it('does not keep objects without end', async () => {
    watch({ objects: 3 });
    await opened(1);
    const many = ['b', 'c', 'd', 'e', 'f'].map((name, index) => line('ADDED', pod(name, 11 + index)));
    last().write(many.join(''));
    await expect.poll(kinds).toEqual(['reset', 'added', 'added', 'added', 'stale', 'reset']);
    expect(seen.at(-1)).toEqual({ kind: 'reset', items: [pod('a', 1)] });
    expect(lists).toBe(2);
  });

  it('ends when it is disposed, with its connection', async () => {
    const ending = watch();
    await opened(1);
    await ending[Symbol.asyncDispose]();
    await expect.poll(() => script.watches[0]?.response.destroyed).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(script.watches).toHaveLength(1);
    expect(kinds()).toEqual(['reset']);
  });
});

describe('a list', () => {
  const serve = (answer: (url: URL) => readonly [number, unknown]): URL[] => {
    const urls: URL[] = [];
    script.refuse = (url, response) => {
      urls.push(url);
      const [code, body] = answer(url);
      response.writeHead(code).end(JSON.stringify(body));
      return true;
    };
    return urls;
  };

  it('reads page after page', async () => {
    const urls = serve((url) => {
      const page = Number(url.searchParams.get('continue') ?? 0);
      const metadata = { resourceVersion: '5', ...(page < 2 ? { continue: String(page + 1) } : {}) };
      return [200, { metadata, items: [pod(`p${page}`, page)] }];
    });
    const list = await createCalls(transport).list(resourceTypes.pod, undefined);
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['p0', 'p1', 'p2']);
    expect(urls[0]?.pathname).toBe('/api/v1/pods');
    expect(urls[0]?.searchParams.get('limit')).toBe('500');
  });

  it('is read at once when its history goes away between two pages', async () => {
    serve((url) => {
      if (url.searchParams.has('continue')) return [410, { kind: 'Status', code: 410, reason: 'Expired' }];
      const whole = !url.searchParams.has('limit');
      const metadata = { resourceVersion: '5', ...(whole ? {} : { continue: 'x' }) };
      return [200, { metadata, items: whole ? [pod('a', 1), pod('b', 1)] : [pod('a', 1)] }];
    });
    expect((await createCalls(transport).list(resourceTypes.pod, undefined)).items).toHaveLength(2);
  });

  it('keeps its place for an item that is no object, and the others', async () => {
    serve(() => [200, { metadata: { resourceVersion: '5' }, items: [pod('a', 1), null, 'x', pod('b', 1)] }]);
    const { items } = await createCalls(transport).list(resourceTypes.pod, undefined);
    expect(items).toEqual([pod('a', 1), {}, {}, pod('b', 1)]);
  });

  it('that is none is told', async () => {
    serve(() => [200, { hello: 'world' }]);
    const work = createCalls(transport).list(resourceTypes.pod, undefined);
    await expect(work).rejects.toMatchObject({ code: 'cluster.failed' });
  });
});
