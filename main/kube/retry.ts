import type { IncomingMessage } from 'node:http';
import type { KubeStatus } from './errors.ts';

/** A connection that broke, as opposed to one that could not be made. */
export function isBroken(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** The status with the waiting time that the answer's headers name. */
export function withRetryAfter(status: KubeStatus, response: IncomingMessage): KubeStatus {
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? { ...status, retryAfterSeconds: seconds } : status;
}

/** How long to wait before sending again, in milliseconds; undefined when it must not be sent again. */
export function retryDelay(status: KubeStatus, method: string): number | undefined {
  const mayRetry = status.code === 429 || (status.code === 503 && method === 'GET');
  if (!mayRetry || status.retryAfterSeconds === undefined) return undefined;
  return Math.max(status.retryAfterSeconds * 1000, 100);
}

/** Jittered, so that many requests that broke together do not come back together. */
export function pause(retries: number): number {
  return 50 * 2 ** retries * (0.5 + Math.random());
}
