import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** Bytes that a call, and all calls together, may have under way towards us. */
const callWindow = 1024 * 1024;
const connectionWindow = 16 * 1024 * 1024;

/**
 * Widens the flow-control windows of a grpc-js server. HTTP/2's 64 KiB would bound a link of 50 ms to 1.3 MB/s, and
 * grpc-js has an option for clients only. So this reaches for two private fields, named as in the pinned version;
 * where they are missing, the windows stay small and everything else works.
 */
export function widenWindows(server: Server): void {
  const inside = server as unknown as { commonServerOptions?: { settings?: { initialWindowSize?: number } } };
  if (inside.commonServerOptions !== undefined) {
    inside.commonServerOptions.settings = { ...inside.commonServerOptions.settings, initialWindowSize: callWindow };
  }
}

/** The second half, after the connection injector was made. */
export function widenSessions(server: Server): void {
  const inside = server as unknown as { http2Servers?: Map<Http2Server, unknown> };
  for (const http2 of inside.http2Servers?.keys() ?? []) {
    http2.on('session', (session: ServerHttp2Session) => session.setLocalWindowSize(connectionWindow));
  }
}
