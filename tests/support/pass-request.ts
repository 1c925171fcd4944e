import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';

/** Sends a request on to a server and its answer back; what breaks on one side breaks on the other. */
export function passRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestOptions,
): void {
  const passed = httpsRequest(target, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.pipe(passed);
}
