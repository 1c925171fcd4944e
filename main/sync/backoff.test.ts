import { expect, it } from 'vitest';
import { reconnectFirstMs, reconnectLimitMs, reconnectPause, unreachableLimitMs } from './backoff.ts';

it('doubles up to a limit', () => {
  expect([1, 2, 3, 9].map((failures) => reconnectPause(failures, 1))).toEqual([
    reconnectFirstMs,
    2 * reconnectFirstMs,
    4 * reconnectFirstMs,
    reconnectLimitMs,
  ]);
  expect(reconnectPause(1, 0)).toBe(reconnectFirstMs / 2);
});

it.each(['cluster.unreachable', 'cluster.timeout', 'cluster.failed', 'stream.lost'])(
  'looks soon again after %s',
  (code) => {
    expect(reconnectPause(20, 1, code)).toBe(unreachableLimitMs);
  },
);

it('does not bother a cluster that answers and refuses', () => {
  expect(reconnectPause(20, 1, 'cluster.forbidden')).toBe(reconnectLimitMs);
});
