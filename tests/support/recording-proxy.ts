import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passRequest } from './pass-request.ts';

/** A TLS server in front of the test cluster's API server that passes everything on and remembers what was asked. */
export interface RecordingProxy extends AsyncDisposable {
  readonly address: string;
  readonly requests: readonly { readonly method: string; readonly url: string }[];
  /** Removed from what a client offers as WebSocket protocols. */
  withoutProtocol: string | undefined;
  /** Refuses connections and cuts those that there are, until called with false. */
  cut(isCut: boolean): void;
}

export async function startRecordingProxy(server: string): Promise<RecordingProxy> {
  const { hostname, port } = new URL(server);
  const requests: { method: string; url: string }[] = [];
  const sockets = new Set<Socket>();
  let isCut = false;
  const target = ({ method, url, headers }: IncomingMessage): RequestOptions => {
    requests.push({ method: method ?? '', url: url ?? '' });
    return { hostname, port, method, path: url, headers, rejectUnauthorized: false };
  };
  const proxy = createServer(certificate(), (request, response) => {
    passRequest(request, response, target(request));
  });
  proxy.on('upgrade', (request, socket: Socket, head) => {
    const options = target(request);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, */);
    const headers = {
      ...request.headers,
      'sec-websocket-protocol': offered.filter((name) => name !== recording.withoutProtocol).join(', '),
    };
    const passed = httpsRequest({ ...options, headers });
    passed.on('upgrade', (answer, remote: Socket, first) => {
      socket.write(rawHead(answer));
      socket.write(first);
      remote.write(head);
      remote.pipe(socket).pipe(remote);
      remote.on('error', () => socket.destroy());
      remote.on('close', () => socket.destroy());
      socket.on('close', () => remote.destroy());
    });
    passed.on('response', (answer) => {
      socket.write(rawHead(answer));
      answer.pipe(socket);
    });
    passed.on('error', () => socket.destroy());
    socket.on('error', () => passed.destroy());
    passed.end();
  });
  proxy.on('connection', (socket: Socket) => {
    if (isCut) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const recording: RecordingProxy = {
    address: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    withoutProtocol: undefined,
    cut(wanted) {
      isCut = wanted;
      if (isCut) for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
  return recording;
}

function rawHead({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
  );
  return [`HTTP/1.1 ${statusCode ?? 502} ${statusMessage ?? ''}`, ...lines, '', ''].join('\r\n');
}

/** A self-signed pair for this run; who connects does not check it. */
export function certificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-certificate-'));
  try {
    const args = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
    execFileSync('openssl', ['req', '-x509', ...args.split(' '), '-keyout', 'key', '-out', 'cert'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { key: read('key'), cert: read('cert') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The right that a request to a namespaced resource needs, as RBAC people write it: `patch deployments.apps/scale`. */
export function rightOf({
  method,
  url,
}: {
  readonly method: string;
  readonly url: string;
}): string | undefined {
  const { pathname, searchParams } = new URL(url, 'https://server');
  const match =
    /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+\/namespaces\/[^/]+\/(?<resource>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[^/]+))?)?$/.exec(
      pathname,
    )?.groups;
  if (match?.['resource'] === undefined) return undefined;
  const isOne = match['name'] !== undefined;
  const reading = searchParams.has('watch') ? 'watch' : isOne ? 'get' : 'list';
  const verbs: Record<string, string> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
  const group = match['group'] === undefined ? '' : `.${match['group']}`;
  const sub = match['sub'] === undefined ? '' : `/${match['sub']}`;
  return `${verbs[method] ?? reading} ${match['resource']}${group}${sub}`;
}
