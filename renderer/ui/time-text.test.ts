import { describe, expect, it } from 'vitest';
import { byteText, clockTime, localSentence, nextChange, relativeTime } from './time-text.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('how long ago', () => {
  it.each([
    [0, 'now'],
    [999, 'now'],
    [second, '1 s'],
    [59 * second, '59 s'],
    [minute, '1 min'],
    [59 * minute + 59 * second, '59 min'],
    [hour, '1 h'],
    [47 * hour, '47 h'],
    [2 * day, '2 d'],
    [1234 * day, '1,234 d'],
    [-5 * minute, 'now'],
    [Number.NaN, ''],
  ])('%d ms: %s', (past, expected) => {
    expect(relativeTime(0, past)).toBe(expected);
  });

  it('is looked at again when it changes', () => {
    expect(nextChange(0, 1500)).toBe(500);
    expect(nextChange(0, 90 * second)).toBe(30 * second);
    expect(nextChange(0, 3 * hour)).toBe(hour);
    expect(nextChange(10, 0)).toBe(1000);
  });
});

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [2140, '2.1 KB'],
    [99_949, '99.9 KB'],
    [99_951, '100 KB'],
    [212_345, '212 KB'],
    [999_499, '999 KB'],
    [999_600, '1.0 MB'],
    [1.4e9, '1.4 GB'],
    [-1, ''],
    [Number.NaN, ''],
  ])('%d bytes: %s', (value, expected) => {
    expect(byteText(value)).toBe(expected);
  });
});

describe('times within a sentence', () => {
  const now = new Date(2026, 2, 3, 12, 30);

  it('are written as the clock here shows them', () => {
    const at = new Date(2026, 2, 3, 12, 3);
    expect(localSentence(`In sync since {{${at.toISOString()}}}`, now)).toBe('In sync since 12:03');
  });

  it('have the date when it is another day', () => {
    expect(clockTime(new Date(2026, 2, 1, 9, 5), now)).toMatch(/1.*09:05$/);
  });

  it.each([['{{tomorrow}}'], ['{{2026-13-99T99:99:99Z}}'], ['{{}}'], ['{2026-03-03T12:00:00Z}']])(
    'are left when they are none: %s',
    (text) => {
      expect(localSentence(text, now)).toBe(text);
    },
  );
});
