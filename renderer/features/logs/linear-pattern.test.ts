import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearPattern } from './linear-pattern.ts';
import { PatternProblem } from './pattern-syntax.ts';

const texts = [
  '',
  'a',
  'abc',
  'GET /cart 200',
  'error: x',
  'errors',
  'aaaa',
  'a-b',
  '12:34',
  'é',
  '😀',
  'x\ty',
];

describe('a linear pattern', () => {
  it.each([
    'a',
    'abc',
    'a|b',
    '^a',
    'a$',
    '^$',
    '\\berror\\b',
    '\\Brr',
    'a*',
    'a+b?',
    '(ab)+',
    '(?:a|b)*c',
    '[a-c]{2}',
    '[^a-z]',
    '[\\d:]+',
    '\\d{2}:\\d{2}',
    '\\s',
    '\\S+',
    '\\w+-\\w',
    '.',
    '..',
    'a{2,}',
    'a{5}',
    'a{0,1}b',
    '[]',
    '[^]',
    '\\/cart',
    'GET .* 200',
    '(a|)b',
    '()',
    '(a*)*',
    '(a|a)+$',
    '\\x61',
    '\\u0062',
    '[\\w-]+',
    '[-a]',
    '[a\\]]',
    '',
    '[^\\W]',
    '[\\D]',
    '\\t',
    'é',
    '😀',
    'x{',
    '{',
    '}',
    ']',
  ])('decides as JavaScript does: %s', (pattern) => {
    const linear = new LinearPattern(pattern);
    const oracle = new RegExp(pattern);
    for (const text of texts) expect([text, linear.test(text)]).toEqual([text, oracle.test(text)]);
  });

  it('decides as JavaScript does for whatever pattern', () => {
    const leaf = fc.constantFrom('a', 'b', '.', '\\w', '\\d', '[ab]', '[^a]', '^', '$', '\\b', ' ');
    const pattern = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(${left}|${right})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?'))
          .map(([part, count]) => `(${part})${count}`),
      ),
    })).node;
    const text = fc
      .array(fc.constantFrom('a', 'b', '1', ' ', 'A'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (source, subject, ignoreCase) => {
        const linear = new LinearPattern(source, { ignoreCase });
        expect(linear.test(subject)).toBe(new RegExp(source, ignoreCase ? 'i' : '').test(subject));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '(',
    ')',
    '[a',
    'a**',
    '+',
    '\\',
    '(?=a)',
    '(?<x>a)',
    '\\1',
    'a{3,2}',
    'a{1000}',
    '[b-a]',
    '\\x1',
    '\\p{L}',
    '^*',
    '(?i)a',
  ])('says what is wrong with %s', (pattern) =>
    expect(() => new LinearPattern(pattern)).toThrow(PatternProblem),
  );

  it('refuses one that would be too long when written out', () => {
    expect(() => new LinearPattern('((a{100}){100}){100}')).toThrow(PatternProblem);
  });

  it.each(['(a+)+$', '(a|a)*$', '(.*)*x', '.*.*.*.*.*x', '(a?){50}a{50}$'])('is quick for %s', (pattern) => {
    const linear = new LinearPattern(pattern);
    const text = `${'a'.repeat(20_000)}b`;
    const started = performance.now();
    linear.test(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('looks at many lines quickly', () => {
    const linear = new LinearPattern('(warn|error).*\\b5\\d\\d\\b', { ignoreCase: true });
    const lines = Array.from(
      { length: 60_000 },
      (_, index) =>
        `2024-05-06 INFO request ${index} took ${index % 700} ms on node-${index % 13} and was fine`,
    );
    const started = performance.now();
    for (const line of lines) linear.test(line);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
