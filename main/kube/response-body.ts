import type { IncomingMessage } from 'node:http';

/** An answer grew beyond its bound. */
export class BodyTooLargeError extends Error {}

/** Reads a whole answer; what lies beyond `maximumBytes` is an error and ends the connection. */
export async function readBody(response: IncomingMessage, maximumBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw new BodyTooLargeError(`The answer is larger than ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The start of an answer that is only good for an error text: whatever arrives of it in time, never an error. */
export async function readErrorBody(
  response: IncomingMessage,
  maximumBytes: number,
  timeoutMs: number,
): Promise<string> {
  const timer = setTimeout(() => response.destroy(), timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maximumBytes - size));
      size += chunk.length;
      if (size >= maximumBytes) break;
    }
  } catch {
    // What has arrived is what there is.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString();
}
