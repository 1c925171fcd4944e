import { describe, expect, it } from 'vitest';
import { deadAfterMs, nextBeat, pingEveryMs } from './heartbeat.ts';

const quiet = { nowMs: 100_000, aliveAtMs: 100_000, paused: false, unsentBytes: 0, unansweredInputBytes: 0 };
const silent = { ...quiet, aliveAtMs: quiet.nowMs - deadAfterMs };

describe('the heartbeat of a connection', () => {
  it.each([
    [
      'leaves a connection alone on which something came lately',
      { ...quiet, aliveAtMs: quiet.nowMs - pingEveryMs + 1 },
      'wait',
    ],
    ['pings a quiet connection', { ...quiet, aliveAtMs: quiet.nowMs - pingEveryMs }, 'ping'],
    ['goes on pinging within the limit', { ...silent, aliveAtMs: silent.aliveAtMs + 1 }, 'ping'],
    ['gives up after the limit', silent, 'dead'],
    ['sends nothing while paused', { ...silent, paused: true }, 'restart'],
    ['sends nothing behind unsent input', { ...silent, unsentBytes: 1 }, 'restart'],
    ['gives up on a terminal with a few keys unanswered', { ...silent, unansweredInputBytes: 40 }, 'dead'],
    ['keeps a command that does not read its input', { ...silent, unansweredInputBytes: 65_536 }, 'ping'],
  ] as const)('%s', (_name, state, expected) => {
    expect(nextBeat(state)).toBe(expected);
  });
});
