import { describe, expect, it } from 'vitest';
import { keepSame } from './structural-sharing.ts';

describe('a new value after an old one', () => {
  const old = { a: { b: [1, { c: 2 }] }, d: { e: 1 }, f: 'x' };

  it('is the old one when it says the same', () => {
    expect(keepSame(old, structuredClone(old))).toBe(old);
  });

  it('keeps every part that says the same', () => {
    const next = keepSame(old, { ...structuredClone(old), d: { e: 2 } });
    expect(next).toEqual({ ...old, d: { e: 2 } });
    expect(next.a).toBe(old.a);
  });

  it('notices what came and what went', () => {
    expect(keepSame<object>({ a: 1, b: undefined }, { a: 1 })).toEqual({ a: 1 });
    expect(keepSame<unknown>([1, 2], [1])).toEqual([1]);
    expect(keepSame<unknown>({ a: 1 }, [1])).toEqual([1]);
  });
});
