import { expect, it } from 'vitest';
import { parseMoment } from './parse-moment.ts';

const now = new Date(2030, 0, 31, 12, 0, 0).getTime();

it.each([
  ['90s', now - 90_000],
  ['10m', now - 600_000],
  ['2h', now - 7_200_000],
  ['3d', now - 3 * 86_400_000],
  ['11:30', new Date(2030, 0, 31, 11, 30).getTime()],
  ['12:30', new Date(2030, 0, 30, 12, 30).getTime()],
  ['2030-01-31T09:00:00Z', Date.UTC(2030, 0, 31, 9)],
])('%s is a moment', (text, expected) => expect(parseMoment(text, now)).toBe(expected));

it.each(['yesterday', '10', '25:00', '', '2030'])('%j is none', (text) => {
  expect(() => parseMoment(text, now)).toThrow(/no moment/);
});
