import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { applyMerge, diffMerge } from './merge-patch.ts';

// The examples of RFC 7396, appendix A: the value, the patch, the result.
test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])('%s patched by %s is %s', (value, patch, result) => {
  expect(applyMerge(JSON.parse(value), JSON.parse(patch))).toEqual(JSON.parse(result));
});

test.each([
  ['nothing', { a: 1, b: { c: [1, { d: 2 }] } }, { a: 1, b: { c: [1, { d: 2 }] } }, undefined],
  ['a key that is new', { a: 1 }, { a: 1, b: 2 }, { b: 2 }],
  ['a key that is gone', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['a key deep inside', { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1, d: 3 } } }, { a: { b: { d: 3 } } }],
  ['an array, as a whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
  ['an object that takes the place of an array', { a: [1] }, { a: {} }, { a: {} }],
  ['an object that becomes empty', { a: { b: 1 } }, { a: {} }, { a: { b: null } }],
  ['undefined, which counts as absent', { a: 1, b: undefined }, { a: 1, c: undefined }, undefined],
  ['a value that becomes undefined', { a: 1 }, { a: undefined }, { a: null }],
  ['a key of the prototype', {}, JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
])('the difference is %s', (_name, from, to, patch) => {
  expect(diffMerge(from, to)).toEqual(patch);
});

/** Values as states have them: JSON whose objects hold no null, with names as a cluster may choose them. */
const { state } = fc.letrec<{ state: unknown }>((tie) => ({
  state: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('', 'a', 'b'),
    fc.boolean(),
    fc.array(tie('state'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', 'hasOwnProperty', ''),
      tie('state'),
      { maxKeys: 4 },
    ),
  ),
}));

describe('for any two values', () => {
  it('the difference leads from one to the other', () => {
    fc.assert(
      fc.property(state, state, (from, to) => {
        const patch = diffMerge(from, to);
        const result = patch === undefined ? from : applyMerge(from, patch);
        expect(JSON.stringify(sorted(result))).toBe(JSON.stringify(sorted(to)));
      }),
      { numRuns: 2000 },
    );
  });

  it('the difference is undefined for equal ones alone, and survives JSON', () => {
    fc.assert(
      fc.property(state, state, (from, to) => {
        const patch = diffMerge(from, to);
        const isEqual = JSON.stringify(sorted(from)) === JSON.stringify(sorted(to));
        expect(patch === undefined).toBe(isEqual);
        if (patch === undefined) return;
        const travelled = applyMerge(from, JSON.parse(JSON.stringify(patch)));
        expect(JSON.stringify(sorted(travelled))).toBe(JSON.stringify(sorted(to)));
      }),
      { numRuns: 2000 },
    );
  });

  it('neither is changed, and no prototype is', () => {
    fc.assert(
      fc.property(state, state, (from, to) => {
        const before = JSON.stringify([from, to]);
        applyMerge(from, diffMerge(from, to) ?? {});
        expect(JSON.stringify([from, to])).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});

test('what did not change is the same object afterwards', () => {
  const from = { a: { x: [1] }, b: { y: { z: 1 }, w: { v: 1 } } };
  const patched = applyMerge(from, { b: { y: { z: 2 } } }) as typeof from;
  expect(patched.a).toBe(from.a);
  expect(patched.b.w).toBe(from.b.w);
  expect(patched.b).not.toBe(from.b);
});

/** Key order is no part of a JSON value. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, part]) => [key, sorted(part)]) };
}
