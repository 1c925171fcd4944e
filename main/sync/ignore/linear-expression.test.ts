import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regExpTests } from '../../../tests/support/bounded-regexp.ts';
import { isSlipwayError } from '../../base/errors.ts';
import { compileLines } from './explain.ts';
import { linearTest } from './linear-expression.ts';
import type { TextTest } from './linear-expression.ts';
import { createMatcher } from './matcher.ts';

const letter = fc.constantFrom(
  'a',
  'b',
  '/',
  'é',
  '[^/]',
  '[a-b]',
  '[^a]',
  '\\x61',
  '\\w',
  '\\D',
  '\u{1f600}',
);
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    letter,
    fc.constantFrom('^', '$', ''),
    tie('expression').map((inner) => `(?:${inner})`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `(${one}|${other})`),
  ),
  expression: fc
    .array(
      fc
        .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?'))
        .map(([atom, quantifier]) => (/^[$^]?$/.test(atom) ? atom : atom + quantifier)),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join('')),
}));
const text = fc
  .array(fc.constantFrom('a', 'b', '/', 'é', 'c', '\u{1f600}'), { maxLength: 8 })
  .map((letters) => letters.join(''));

function testOf(source: string): TextTest {
  const linear = linearTest(source);
  if (linear.kind !== 'test') throw new Error(`${linear.kind}: ${source}`);
  return linear.test;
}

/** The shortest of several times in milliseconds, so that other load does not count. */
function timeOf(action: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    action();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

describe('expressions in linear time', () => {
  it('match what RegExp matches', () => {
    fc.assert(
      fc.property(expression, fc.array(text, { minLength: 5, maxLength: 20 }), (source, texts) => {
        fc.pre(linearTest(source).kind !== 'too-large');
        const own = testOf(source);
        const native = regExpTests(source, 'u', texts);
        fc.pre(native !== undefined);
        expect(texts.map(own)).toEqual(native);
      }),
      {
        numRuns: Number(process.env['EXPRESSION_RUNS'] ?? 300),
        plugins: [fc.interruptAfterTimeLimit(10_000)],
      },
    );
  });

  it('say when they are repeated too often', () => {
    expect(linearTest('(?:a{1000}){1000}').kind).toBe('too-large');
    expect(linearTest('(?:(?:a{0,60}){0,60}){0,60}').kind).toBe('too-large');
    expect(testOf('^(?:(?:){100000}){100000}b$')('b')).toBe(true);
  });

  it('refuse what the dialects never produce', () => {
    for (const source of ['\\bfoo', '(?=a)', '(?!a)', '\\p{L}', '(a)\\1'])
      expect(linearTest(source).kind).toBe('unsupported');
  });
});

describe('hostile patterns', () => {
  const patterns = {
    git: [
      '*a*a*a*a*a*a*a*a*a*a*b',
      '**/*a*/**/*a*/**/*a*/**/*a*/**/b',
      '*?*?*?*?*?*?*?*?*b',
      '**a**a**a**a**a**a**b',
    ],
    devspace: [
      '(a+)+b',
      '(a|a)+(a|a)+b',
      '*a*a*a*a*a*a*a*a*b',
      '**/a**/a**/a**/a**/b',
      'a{0,1}a{0,1}a{0,90}a{90}b',
    ],
  } as const;
  for (const dialect of ['git', 'devspace'] as const) {
    for (const pattern of patterns[dialect]) {
      it(`take time that grows with the path only: ${pattern} of ${dialect}`, () => {
        const matcher = createMatcher(compileLines([pattern], dialect));
        const excludes = (length: number): (() => unknown) => {
          const path = 'a/a'.repeat(length);
          const name = 'a'.repeat(3 * length);
          return () => [matcher.excludes(path, false), matcher.excludes(name, false)];
        };
        const [short, long] = [timeOf(excludes(50)), timeOf(excludes(400))];
        // Eight times the length: a square would be 64 times, and an exponential would never end.
        expect(long / Math.max(short, 0.02)).toBeLessThan(40);
      });
    }
  }

  it('are refused where they would need too much room, with the pattern named', () => {
    const compile = (): unknown => createMatcher(compileLines(['(a{1,900}b{1,900}){1,9}'], 'devspace'));
    expect(compile).toThrow(/exclude rule .*a\{1,900\}/);
    try {
      compile();
    } catch (error) {
      expect(isSlipwayError(error, 'sync.rules-invalid')).toBe(true);
    }
  });
});
