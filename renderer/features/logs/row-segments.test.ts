import { describe, expect, it } from 'vitest';
import { rowSegments } from './row-segments.ts';

const told = (text: string, query: string): string =>
  rowSegments(text, query)
    .map((segment) => `${segment.hit ? '<' : ''}${segment.text}${segment.hit ? '>' : ''}`)
    .join('|');

describe('a row of a log', () => {
  it.each([
    ['plain', '', 'plain'],
    ['Error: error', 'error', '<Error>|: |<error>'],
    ['\x1b[31mer\x1b[0mror', 'error', '<er>|<ror>'],
    ['none here', 'x', 'none here'],
    ['aaaa', 'aa', '<aa>|<aa>'],
    ['evil\u202etxt', '', 'evil\ufffdtxt'],
    ['tab\there', '', 'tab\there'],
    ['grüße', 'üs', 'grüße'],
  ])('of %j searched for %j is %j', (text, query, expected) => expect(told(text, query)).toBe(expected));

  it('is cut when it is long', () => {
    expect(rowSegments('x'.repeat(1_000_000), 'x')).toHaveLength(4_000);
  });
});
