import { describe, expect, it } from 'vitest';
import { changedCells, diffTexts, foldRows, plainCell, type DiffRow } from './text-diff.ts';

const told = (rows: readonly DiffRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'fold'
      ? `fold ${row.count}`
      : `${row.kind} ${row.left?.text ?? ''}|${row.right?.text ?? ''}`,
  );
const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

describe('two texts beside each other', () => {
  it.each([
    ['', '', []],
    ['a\n', 'a\n', ['same a|a']],
    ['a\n', '', ['removed a|']],
    ['', 'a\n', ['added |a']],
    [lines('a', 'b', 'c'), lines('a', 'x', 'c'), ['same a|a', 'changed b|x', 'same c|c']],
    [lines('a', 'b', 'c'), lines('a', 'c'), ['same a|a', 'removed b|', 'same c|c']],
    [lines('a', 'c'), lines('a', 'b', 'c'), ['same a|a', 'added |b', 'same c|c']],
    [
      lines('a', 'b', 'c', 'd'),
      lines('b', 'd', 'e'),
      ['removed a|', 'same b|b', 'removed c|', 'same d|d', 'added |e'],
    ],
    ['a', 'a\n', ['changed a|a']],
    ['a\r\n', 'a\n', ['changed a\r|a']],
  ])('%j and %j', (left, right, expected) => {
    const { rows, exact } = diffTexts(left, right);
    expect(told(rows)).toEqual(expected);
    expect(exact).toBe(true);
  });

  it('is whole and in order for any texts', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let run = 0; run < 500; run++) {
      const text = () => lines(...Array.from({ length: random(30) }, () => 'abcd'.charAt(random(4))));
      const [left, right] = [text(), text()];
      const { rows } = diffTexts(left, right);
      const side = (of: 'left' | 'right') =>
        rows.flatMap((row) => (row.kind === 'fold' ? [] : (row[of] ?? [])));
      expect(lines(...side('left').map((line) => line.text))).toBe(left);
      expect(lines(...side('right').map((line) => line.text))).toBe(right);
      expect(side('left').every(({ number }, index) => number === index + 1)).toBe(true);
      for (const row of rows) if (row.kind === 'same') expect(row.left?.text).toBe(row.right?.text);
    }
  });

  it('finds a shortest way', () => {
    const left = lines(...Array.from({ length: 400 }, (_, index) => `line ${index}`));
    const right = left.replace('line 17\n', '').replace('line 250\n', 'line 250\nnew\n');
    expect(diffTexts(left, right).different).toBe(2);
  });

  it('takes bounded time for what has nothing in common, and says so', () => {
    const left = lines(...Array.from({ length: 100_000 }, (_, index) => (index % 2 ? `a${index}` : '')));
    const right = lines(...Array.from({ length: 100_000 }, (_, index) => (index % 3 ? `b${index}` : '')));
    const began = performance.now();
    const { exact, rows } = diffTexts(left, right);
    expect(performance.now() - began).toBeLessThan(3000);
    expect(exact).toBe(false);
    expect(rows).toHaveLength(100_000);
  });
});

describe('lines that are alike', () => {
  const many = Array.from({ length: 20 }, (_, index) => `l${index}`);
  const { rows } = diffTexts(lines(...many, 'x', ...many), lines(...many, 'y', ...many));

  it('are left out but for some around a difference', () => {
    expect(told(foldRows(rows, new Set()))).toEqual([
      ...['fold 17', 'same l17|l17', 'same l18|l18', 'same l19|l19', 'changed x|y'],
      ...['same l0|l0', 'same l1|l1', 'same l2|l2', 'fold 17'],
    ]);
  });

  it('come back where they were opened', () => {
    const opened = foldRows(rows, new Set([0]));
    expect(opened).toHaveLength(20 + 1 + 3 + 1);
  });
});

describe('a line that is drawn', () => {
  it('shows what differs within it', () => {
    expect(changedCells('let a = 1;', 'let a = 22;')).toMatchObject([
      { before: 'let a = ', changed: '1', after: ';', skipped: false, cut: false },
      { before: 'let a = ', changed: '22', after: ';' },
    ]);
  });

  it('begins shortly before a difference that is far in', () => {
    const [left, right] = changedCells(`${'x'.repeat(5000)}1`, `${'x'.repeat(5000)}2`);
    expect(left).toMatchObject({ skipped: true, before: 'x'.repeat(24), changed: '1', cut: false });
    expect(right.changed).toBe('2');
  });

  it('is cut where it is long, never within a character', () => {
    const cell = plainCell('😀'.repeat(1000));
    expect(cell.cut).toBe(true);
    expect(cell.before).toBe('😀'.repeat(200));
    const [left, right] = changedCells('a😀', 'a😁');
    expect([left.before, left.changed, right.changed]).toEqual(['a', '😀', '😁']);
  });
});
