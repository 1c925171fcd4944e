import { describe, expect, it } from 'vitest';
import type { LinkSample, StreamHealth } from '../../../contract/sessions.ts';
import { keptSamples, limitOf, sparkline, streamLook, worstStream } from './link-look.ts';

const now = 1_000_000;
const health = (part: Partial<StreamHealth>): StreamHealth => ({
  ...{ state: 'connected', since: new Date(now - 12_000).toISOString() },
  ...part,
});
const sample = (...pairs: LinkSample['pairs']): LinkSample => ({ at: now, pairs, upRate: 0, downRate: 0 });

describe('a stream in words', () => {
  it.each([
    [{ silentMs: 440, roundTripMs: 3.14 }, 'Connected answered 0.4 s ago, round trip 3.1 ms'],
    [{ roundTripMs: 1234.5 }, 'Connected round trip 1,235 ms'],
    [{ state: 'stalled' }, 'Stalled no answer for 12 s'],
    [
      { state: 'reconnecting', attempt: 3, reason: 'It is gone.' },
      'Connecting again attempt 3, for 12 s, It is gone.',
    ],
    [{ state: 'starting' }, 'Connecting '],
    [{ state: 'over' }, 'Ended '],
  ] as const)('%o', (part, expected) => {
    const { word, details } = streamLook(health(part), now);
    expect(`${word} ${details.join(', ')}`).toBe(expected);
  });
});

it('of several pairs the worst stream is shown, and a limit where each has one', () => {
  const good = { up: health({}), down: health({}), upLimit: 10 };
  const bad = { up: health({ state: 'stalled' }), down: health({}), upLimit: 20, downLimit: 5 };
  expect(worstStream(sample(good, bad), 'up')?.state).toBe('stalled');
  expect(worstStream(sample(), 'up')).toBeUndefined();
  expect([limitOf(sample(good, bad), 'up'), limitOf(sample(good, bad), 'down')]).toEqual([30, undefined]);
});

it('the line of rates is bounded and stays in its box', () => {
  const size = { width: 59, height: 10 };
  expect(sparkline([0, 5, 10], size)).toBe('57.0,10.0 58.0,5.0 59.0,0.0');
  expect(
    sparkline(
      Array.from({ length: 500 }, (_, index) => index),
      size,
    ).split(' '),
  ).toHaveLength(keptSamples);
  expect(sparkline([], size)).toBe('');
});
