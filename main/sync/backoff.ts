/** First and longest pauses between reconnects, in milliseconds. */
export const reconnectFirstMs = 500;
export const reconnectLimitMs = 15_000;
/**
 * The longest while the cluster or the node cannot be reached: a try costs them nothing then, and whoever waits for one
 * to come back should not wait longer than it takes to notice.
 */
export const unreachableLimitMs = 2_000;

/** What passes by itself. `stream.unsupported` and `cluster.failed` are what a proxy and a server say without a node. */
const passing: ReadonlySet<string> = new Set([
  'cluster.unreachable',
  'cluster.timeout',
  'cluster.failed',
  'stream.lost',
  'stream.unsupported',
]);

/** Pause before the try after `failures` failed ones, between half and the whole of a doubling time. */
export function reconnectPause(failures: number, random: number, code?: string): number {
  const limit = code !== undefined && passing.has(code) ? unreachableLimitMs : reconnectLimitMs;
  const full = Math.min(reconnectFirstMs * 2 ** Math.max(0, Math.min(failures - 1, 10)), limit);
  return full / 2 + (full / 2) * random;
}
