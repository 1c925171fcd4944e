import { describe, expect, it } from 'vitest';
import { movedRow, nextOrder, sortedRows, toggled, withRange } from './table-order.ts';

describe('sorting', () => {
  const name = (row: { name: string }) => row.name;

  it('knows numbers within names', () => {
    const rows = ['web-10', 'web-2', 'API'].map((text) => ({ name: text }));
    expect(sortedRows(rows, name, false).map(name)).toEqual(['API', 'web-2', 'web-10']);
    expect(sortedRows(rows, name, true).map(name)).toEqual(['web-10', 'web-2', 'API']);
  });

  it('leaves equal rows in their order, both ways', () => {
    const rows = [1, 2, 3].map((id) => ({ id, ready: 0 }));
    const ids = (descending: boolean) => sortedRows(rows, (row) => row.ready, descending).map(({ id }) => id);
    expect(ids(false)).toEqual([1, 2, 3]);
    expect(ids(true)).toEqual([1, 2, 3]);
  });

  it('is the order of the rows without a key, and the same array', () => {
    const rows = [{ name: 'b' }, { name: 'a' }];
    expect(sortedRows(rows, undefined, true)).toBe(rows);
  });

  it('turns with each click and ends where it began', () => {
    const first = nextOrder(undefined, 'name');
    const second = nextOrder(first, 'name');
    expect([first, second, nextOrder(second, 'name')]).toEqual([
      { column: 'name', descending: false },
      { column: 'name', descending: true },
      undefined,
    ]);
    expect(nextOrder(second, 'age')).toEqual({ column: 'age', descending: false });
  });
});

describe('moving', () => {
  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 0, 0],
    ['PageDown', 2, 6],
    ['PageDown', 8, 9],
    ['PageUp', 2, 0],
    ['Home', 5, 0],
    ['End', 5, 9],
    ['x', 5, undefined],
  ] as const)('%s from %d', (key, from, to) => {
    expect(movedRow(key, from, 10, 4)).toBe(to);
  });

  it('goes nowhere without rows', () => {
    expect(movedRow('End', 0, 0, 4)).toBeUndefined();
  });
});

describe('selecting', () => {
  it('turns one', () => {
    expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b']);
    expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b']);
  });

  it('adds everything between two, whichever comes first', () => {
    const keys = ['a', 'b', 'c', 'd'];
    expect([...withRange(new Set(['d']), keys, 2, 0)]).toEqual(['d', 'a', 'b', 'c']);
    expect([...withRange(new Set(), keys, 1, 2)]).toEqual(['b', 'c']);
  });
});
