import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { SlipwayError } from '../base/errors.ts';
import type { ClusterEntry } from './kubeconfig.ts';
import { startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';
import { createAuthority } from './testing/certificates.ts';
import type { Authority } from './testing/certificates.ts';
import { connect } from './testing/connect.ts';
import { startHttpProxy, startSocksProxy } from './testing/proxy-server.ts';

let authority: Authority;
beforeAll(() => (authority = createAuthority()));
afterAll(() => authority[Symbol.dispose]());

function clusterOf(server: ApiServer): ClusterEntry {
  return {
    server: server.address,
    'certificate-authority-data': Buffer.from(authority.cert).toString('base64'),
  };
}

const user = { token: 'abc' };
const status = (code: number, reason: string, message: string): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });

async function failureOf(work: Promise<unknown>): Promise<SlipwayError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SlipwayError) return error;
  throw new Error(`Not an expected failure: ${String(error)}`);
}

describe('requests', () => {
  it('are all that connects: fifty clusters that nobody asks anything stay untouched', async () => {
    await using server = await startApiServer({ authority });
    const transports = Array.from({ length: 50 }, () => connect(clusterOf(server), user));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.connections()).toBe(0);
    for (const transport of transports) await transport[Symbol.asyncDispose]();
  });

  it('share one connection: ten in a row need one TLS handshake', async () => {
    await using server = await startApiServer({ authority });
    await using transport = connect(clusterOf(server), user);
    for (let i = 0; i < 10; i += 1) await transport.json({ path: '/version' });
    expect(server.requests).toHaveLength(10);
    expect(server.connections()).toBe(1);
  });

  it('use a rotated client certificate, each over its own connection', async () => {
    await using server = await startApiServer({ authority });
    const folder = mkdtempSync(join(tmpdir(), 'slipway-rotation-'));
    const files = { 'client-certificate': join(folder, 'crt'), 'client-key': join(folder, 'key') };
    const rotate = (name: string): void => {
      const pair = authority.sign(name);
      writeFileSync(files['client-certificate'], pair.cert);
      writeFileSync(files['client-key'], pair.key);
    };
    rotate('first');
    await using transport = connect(clusterOf(server), files);
    await transport.json({ path: '/a' });
    await transport.json({ path: '/b' });
    rotate('second');
    await transport.json({ path: '/c' });
    // A half-written pair is not used.
    writeFileSync(files['client-certificate'], authority.sign('third').cert);
    await transport.json({ path: '/d' });
    expect(server.requests.map(({ clientName }) => clientName)).toEqual([
      'first',
      'first',
      'second',
      'second',
    ]);
    expect(server.connections()).toBe(2);
    rmSync(folder, { recursive: true });
  });

  it('carry nothing secret over plain HTTP', async () => {
    await using server = await startApiServer({});
    await using transport = connect({ server: server.address }, user);
    await transport.json({ path: '/version' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('encode what is in them and send a body as JSON', async () => {
    await using server = await startApiServer({
      authority,
      handler: (request, response) => request.pipe(response),
    });
    await using transport = connect(clusterOf(server), user);
    const query = [['labelSelector', 'a in (b, ü)']] as const;
    const answer = await transport.json({ method: 'POST', path: '/x%2Fy', query, body: { é: [1] } });
    expect(answer).toEqual({ é: [1] });
    expect(server.requests[0]?.path).toBe('/x%2Fy?labelSelector=a+in+%28b%2C+%C3%BC%29');
  });

  it('are put off by 429 for as long as the server says, then sent again', async () => {
    let refusals = 2;
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => {
        refusals -= 1;
        if (refusals < 0) return void response.end('{}');
        response.writeHead(429, { 'Retry-After': '0' }).end(status(429, 'TooManyRequests', 'slow down'));
      },
    });
    await using transport = connect(clusterOf(server), user);
    await transport.json({ method: 'POST', path: '/x', body: {} });
    expect(server.requests).toHaveLength(3);
    refusals = 100;
    const error = await failureOf(transport.json({ path: '/x' }));
    expect(error).toMatchObject({ code: 'cluster.too-many-requests', causeText: 'slow down' });
    expect(server.requests).toHaveLength(3 + 4);
  });

  it('that read are sent again when the connection breaks, those that write are not', async () => {
    let breaks = 1;
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => {
        breaks -= 1;
        if (breaks >= 0) response.socket?.destroy();
        else response.end('{}');
      },
    });
    await using transport = connect(clusterOf(server), user);
    await transport.json({ path: '/x' });
    expect(server.requests).toHaveLength(2);
    breaks = 1;
    const error = await failureOf(transport.json({ method: 'POST', path: '/x', body: {} }));
    expect(error.code).toBe('cluster.unreachable');
    expect(server.requests).toHaveLength(3);
  });

  it('end at once, and silently, when they are aborted', async () => {
    await using server = await startApiServer({ authority, handler: () => undefined });
    await using transport = connect(clusterOf(server), user);
    const reason = new Error('enough');
    const controller = new AbortController();
    const work = transport.json({ path: '/x', signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(work).rejects.toBe(reason);
  });

  it('do not read an answer without end', async () => {
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const more = (error?: Error | null): void => {
          if (!error) response.write(chunk, more);
        };
        more();
      },
    });
    await using transport = connect(clusterOf(server), user, { bounds: { answerBytes: 1024 * 1024 } });
    expect(await failureOf(transport.json({ path: '/x' }))).toMatchObject({ code: 'cluster.failed' });
  });

  it('as streams flow no faster than they are read', async () => {
    let written = 0;
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => {
        const chunk = Buffer.alloc(64 * 1024);
        const more = (error?: Error | null): void => {
          if (error) return;
          written += chunk.length;
          response.write(chunk, more);
        };
        more();
      },
    });
    await using transport = connect(clusterOf(server), user);
    const response = await transport.stream({ path: '/log' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(written).toBeLessThan(16 * 1024 * 1024);
    response.destroy();
  });
});

describe('failures', () => {
  const cases = [
    [401, 'Unauthorized', 'cluster.unauthorized', /sign-in/],
    [403, 'Forbidden', 'cluster.forbidden', /may not read Deployment shop\/web/],
    [404, 'NotFound', 'cluster.not-found', /Deployment shop\/web was not found/],
    [409, 'AlreadyExists', 'cluster.conflict', /exists already/],
    [409, 'Conflict', 'cluster.conflict', /changed by someone else/],
    [410, 'Expired', 'cluster.gone', /gone/],
    [422, 'Invalid', 'cluster.invalid', /refused/],
    [500, 'InternalError', 'cluster.failed', /failed/],
    [503, 'ServiceUnavailable', 'cluster.failed', /failed/],
  ] as const;
  it.each(cases)('%i %s are %s with the words of the server', async (code, reason, expected, message) => {
    const body = status(code, reason, 'words \u001b[31mof\n the server');
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => void response.writeHead(code).end(body),
    });
    await using transport = connect(clusterOf(server), user);
    const error = await failureOf(transport.json({ path: '/x', subject: 'Deployment shop/web' }));
    expect(error).toMatchObject({ code: expected, causeText: 'words [31mof the server' });
    expect(error.message).toMatch(message);
    expect(error.next).not.toBe('');
  });

  it('name the causes that the server gives', async () => {
    const details = {
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' }],
    };
    const body = JSON.stringify({
      kind: 'Status',
      code: 422,
      reason: 'Invalid',
      message: 'invalid',
      details,
    });
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => void response.writeHead(422).end(body),
    });
    await using transport = connect(clusterOf(server), user);
    const error = await failureOf(transport.json({ path: '/x' }));
    expect(error.causeText).toBe('invalid; spec.containers: Required value');
  });

  it('of a server that is not there are told at once', async () => {
    await using transport = connect({ server: 'https://127.0.0.1:1' }, user);
    const error = await failureOf(transport.json({ path: '/version' }));
    expect(error).toMatchObject({ code: 'cluster.unreachable' });
    expect(error.causeText).toMatch(/Nothing listens/);
  });

  it('of a name that does not exist say so', async () => {
    await using transport = connect({ server: 'https://nowhere.invalid' }, user);
    expect((await failureOf(transport.json({ path: '/version' }))).causeText).toMatch(/name of the server/);
  });

  it('of a port that never speaks come when the bound on connecting is over', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await using transport = connect({ server: `https://127.0.0.1:${port}` }, user, {
      bounds: { connectMs: 200 },
    });
    const error = await failureOf(transport.json({ path: '/version' }));
    expect(error).toMatchObject({ code: 'cluster.timeout', causeText: 'Connecting took longer than 0.2 s.' });
    silent.close();
  });

  it('of a server that never answers come when the bound on the call is over', async () => {
    await using server = await startApiServer({ authority, handler: () => undefined });
    await using transport = connect(clusterOf(server), user);
    const error = await failureOf(transport.json({ path: '/version', timeoutMs: 200 }));
    expect(error).toMatchObject({ code: 'cluster.timeout' });
  });

  it('of certificates say what is wrong with them', async () => {
    await using server = await startApiServer({ authority });
    await using unknown = connect({ server: server.address }, user);
    expect(await failureOf(unknown.json({ path: '/' }))).toMatchObject({ code: 'cluster.certificate' });
    await using misnamed = connect({ ...clusterOf(server), 'tls-server-name': 'other.test' }, user);
    const error = await failureOf(misnamed.json({ path: '/' }));
    expect(error).toMatchObject({ code: 'cluster.certificate' });
    expect(error.causeText).toMatch(/other names/);
    expect(server.requests).toHaveLength(0);
  });

  it('of a kubeconfig whose authority is not a certificate are told', async () => {
    await using server = await startApiServer({ authority });
    await using transport = connect(
      { server: server.address, 'certificate-authority-data': 'aGVsbG8=' },
      user,
    );
    const error = await failureOf(transport.json({ path: '/' }));
    expect(error.next).toMatch(/kubeconfig/);
  });

  it('of a sign-in page in between are told', async () => {
    await using server = await startApiServer({
      authority,
      handler: (_request, response) => void response.end('<html>Sign in</html>'),
    });
    await using transport = connect(clusterOf(server), user);
    expect((await failureOf(transport.json({ path: '/' }))).message).toMatch(/not a Kubernetes API/);
  });
});

describe('proxies', () => {
  it('carry requests and WebSockets alike, http', async () => {
    await using server = await startApiServer({ authority });
    await using proxy = await startHttpProxy();
    await checkThrough(server, { 'proxy-url': `http://127.0.0.1:${proxy.port}` });
    expect(new Set(proxy.targets)).toEqual(new Set([`api.vec.test:${server.port}`]));
    expect(server.connections()).toBe(2);
  });

  it('carry requests and WebSockets alike, socks5 with names looked up there', async () => {
    await using server = await startApiServer({ authority });
    await using proxy = await startSocksProxy();
    await checkThrough(server, { 'proxy-url': `socks5://127.0.0.1:${proxy.port}` });
    expect(new Set(proxy.targets)).toEqual(new Set([`api.vec.test:${server.port}`]));
  });

  it('of the environment are used too', async () => {
    await using server = await startApiServer({ authority });
    await using proxy = await startHttpProxy();
    const cluster = { ...clusterOf(server), server: `https://api.vec.test:${server.port}` };
    const environment = { https_proxy: `127.0.0.1:${proxy.port}` };
    await using transport = connect(cluster, user, { environment });
    await transport.json({ path: '/version' });
    expect(proxy.targets).toHaveLength(1);
  });

  it('that refuse are named, and what they say is not taken for the cluster', async () => {
    await using server = await startApiServer({ authority });
    await using proxy = await startHttpProxy(403);
    const cluster = { ...clusterOf(server), 'proxy-url': `http://me:hush@127.0.0.1:${proxy.port}` };
    await using transport = connect(cluster, user);
    for (const work of [
      transport.json({ path: '/' }),
      transport.webSocket({ path: '/', query: [], protocols: [] }),
    ]) {
      const error = await failureOf(work);
      expect(error.code).toBe('cluster.unreachable');
      expect(error.message).toContain(`http://127.0.0.1:${proxy.port}`);
      expect(JSON.stringify(error.toValue())).not.toContain('hush');
    }
  });

  it('that are down are named', async () => {
    await using transport = connect(
      { server: 'https://api.vec.test', 'proxy-url': 'socks5://127.0.0.1:1' },
      user,
    );
    const error = await failureOf(transport.json({ path: '/' }));
    expect(error.message).toContain('socks5://127.0.0.1:1');
  });

  async function checkThrough(server: ApiServer, more: Partial<ClusterEntry>): Promise<void> {
    const cluster = { ...clusterOf(server), server: `https://api.vec.test:${server.port}`, ...more };
    await using transport = connect(cluster, user);
    await transport.json({ path: '/version' });
    await transport.json({ path: '/version' });
    const error = await failureOf(
      transport.webSocket({ path: '/exec', query: [], protocols: ['v5.channel.k8s.io'] }),
    );
    expect(error.code).toBe('stream.unsupported');
  }
});

describe('WebSockets', () => {
  it('are open, keep what arrives with the handshake, and speak the protocol that the server chose', async () => {
    await using server = await startApiServer({ authority });
    const sockets = serveWebSockets(server, (socket) => socket.send('first'));
    await using transport = connect(clusterOf(server), user);
    const query = [
      ['command', 'a b'],
      ['command', '&'],
    ] as const;
    const socket = await transport.webSocket({ path: '/exec', query, protocols: ['v5.test', 'v4.test'] });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const message = new Promise((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString())),
    );
    socket.resume();
    expect(await message).toBe('first');
    expect(socket.protocol).toBe('v5.test');
    expect(sockets.paths).toEqual(['/exec?command=a+b&command=%26']);
    socket.terminate();
  });

  it('that are refused give the status of the server', async () => {
    await using server = await startApiServer({ authority });
    const body = status(403, 'Forbidden', 'pods "web" is forbidden: no exec');
    serveRefusals(server, () => `HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await using transport = connect(clusterOf(server), user);
    const work = transport.webSocket({
      path: '/exec',
      query: [],
      protocols: [],
      subject: 'a terminal in shop/web',
    });
    const error = await failureOf(work);
    expect(error).toMatchObject({ code: 'cluster.forbidden', causeText: 'pods "web" is forbidden: no exec' });
    expect(error.message).toBe('You may not open a terminal in shop/web.');
    expect(error).toMatchObject({ status: { code: 403, reason: 'Forbidden' } });
  });

  it('end their handshake when they are aborted', async () => {
    await using server = await startApiServer({ authority });
    serveRefusals(server, () => undefined);
    await using transport = connect(clusterOf(server), user);
    const reason = new Error('enough');
    const signal = AbortSignal.any([AbortSignal.timeout(1e6), abortLater(50, reason)]);
    await expect(transport.webSocket({ path: '/x', query: [], protocols: [], signal })).rejects.toBe(reason);
  });

  it('whose handshake gets no answer fail in time', async () => {
    await using server = await startApiServer({ authority });
    serveRefusals(server, () => undefined);
    await using transport = connect(clusterOf(server), user, { bounds: { handshakeMs: 200 } });
    const error = await failureOf(transport.webSocket({ path: '/x', query: [], protocols: [] }));
    expect(error.code).toBe('cluster.timeout');
  });
});

function abortLater(milliseconds: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return controller.signal;
}

function serveWebSockets(
  server: ApiServer,
  onSocket: (socket: WebSocket) => void,
): { readonly paths: string[] } {
  const paths: string[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  server.onUpgrade((request, socket, head) => {
    paths.push(request.url ?? '');
    sockets.handleUpgrade(request, socket, head, onSocket);
  });
  return { paths };
}

function serveRefusals(server: ApiServer, answer: () => string | undefined): void {
  server.onUpgrade((_request, socket) => {
    const text = answer();
    if (text !== undefined) socket.end(text);
  });
}
