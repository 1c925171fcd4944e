// An API server's front for benchmarks: logs of pods come from here, numbered and as fast as asked; all else is
// passed on to the real one. A process of its own, so that it takes nothing of main's time.
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';
import { passRequest } from '../../tests/support/pass-request.ts';
import { certificate } from '../../tests/support/recording-proxy.ts';
import { answerQuestions } from '../support/children.ts';
import { NumberedLog } from './numbered-log.ts';

export type ProxyQuestion =
  | { readonly kind: 'address' }
  /** Lines from now on, at a rate; before that, and after `end`, logs say nothing. */
  | { readonly kind: 'begin'; readonly perSecond: number; readonly seconds: number }
  /** Breaks the logs that are being read, as a network does. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'last' };

const upstream = new URL(process.env['BENCH_API_SERVER'] ?? '');
const readers = new Set<ServerResponse>();
let log: NumberedLog | undefined;

const proxy = createServer(certificate(), (request, response) => {
  const url = new URL(request.url ?? '', 'https://server');
  if (/\/pods\/[^/]+\/log$/.test(url.pathname)) return void serveLog(url, response);
  passRequest(request, response, target(request));
});
proxy.on('upgrade', (request, socket: Socket, head) => {
  const remote = connect({ host: upstream.hostname, port: Number(upstream.port), rejectUnauthorized: false });
  const headers = request.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${request.rawHeaders[index + 1] ?? ''}`] : [],
  );
  remote.write([`${request.method} ${request.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  remote.write(head);
  remote.pipe(socket).pipe(remote);
  remote.on('error', () => socket.destroy());
  socket.on('error', () => remote.destroy());
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));

function target({ method, url, headers }: IncomingMessage) {
  return {
    hostname: upstream.hostname,
    port: upstream.port,
    method,
    path: url,
    headers,
    rejectUnauthorized: false,
  };
}

/** As a node does: from a time on, and then as it is written; a reader that is slow gets it later. */
async function serveLog(url: URL, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  response.flushHeaders();
  readers.add(response);
  response.on('close', () => readers.delete(response));
  const since = url.searchParams.get('sinceTime');
  let next = 0;
  let began = false;
  while (!response.destroyed) {
    if (log !== undefined) {
      if (!began) next = since === null ? 1 : log.firstSince(Date.parse(since));
      began = true;
      const piece = log.piece(next, Date.now());
      next = piece.next;
      if (piece.text !== '' && !response.write(piece.text)) {
        await new Promise<void>((resolve) => {
          response.once('drain', resolve);
          response.once('close', resolve);
        });
        continue;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

answerQuestions<ProxyQuestion>((question) => {
  switch (question.kind) {
    case 'address':
      return `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    case 'begin':
      log = new NumberedLog(Date.now(), question.perSecond, question.seconds);
      return undefined;
    case 'cut':
      for (const reader of readers) reader.destroy();
      return undefined;
    case 'last':
      return log?.lastAt(Date.now()) ?? 0;
  }
});
