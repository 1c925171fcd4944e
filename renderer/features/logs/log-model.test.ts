import { describe, expect, it } from 'vitest';
import { LogModel } from './log-model.ts';

const lines = (...texts: readonly string[]) => ({ lines: texts.map((text) => ({ at: 't', text })) });
const shown = (model: LogModel): readonly string[] =>
  model.rowsAt(0, 1000).map(({ row, line, lines: count }) => `${line}+${count} ${row.plain}`);

describe('a log in the window', () => {
  it('shows marks and lines in order', () => {
    const model = new LogModel();
    model.append({ run: { pod: 'web-1', container: 'web' }, ...lines('\x1b[31ma\x1b[0m', 'b') });
    model.append({ interrupted: 'Lost.', ...lines('c') });
    expect(shown(model)).toEqual(['0+1 web-1 · web', '1+1 a', '2+1 b', '3+1 Lost.', '4+1 c']);
    expect(model.counts).toEqual({ kept: 5, shown: 5, keptLines: 3, shownLines: 3 });
    expect(model.text(true)).toBe('--- web-1 · web ---\nt a\nt b\n--- interrupted: Lost. ---\nt c');
  });

  it('keeps the latest rows and says how many have gone', () => {
    const model = new LogModel({ rows: 3 });
    model.append(lines('a', 'b', 'c', 'd', 'e'));
    expect(shown(model)).toEqual(['0+1 c', '1+1 d', '2+1 e']);
    expect([model.dropped, model.counts.kept, model.lines]).toEqual([2, 3, { count: 3, gone: 2 }]);
  });

  it('keeps so many characters', () => {
    const model = new LogModel({ characters: 10 });
    model.append(lines('aaaaaa', 'bbbbbb', 'cc'));
    expect(shown(model)).toEqual(['0+1 bbbbbb', '1+1 cc']);
  });

  it('shows what passes the filter, before and after it is set', () => {
    const model = new LogModel({ rows: 4 });
    model.append(lines('one', 'two', 'three'));
    model.setFilter((text) => text.includes('o'));
    expect(shown(model)).toEqual(['0+1 one', '1+1 two']);
    model.append(lines('four', 'five', 'on'));
    expect(shown(model)).toEqual(['0+1 four', '1+1 on']);
    model.setFilter(undefined);
    expect(shown(model)).toEqual(['0+1 three', '1+1 four', '2+1 five', '3+1 on']);
  });

  it('wraps, and finds rows by their lines', () => {
    const model = new LogModel();
    model.setColumns(4);
    model.append(lines('12345678', 'a', '', '日本語'));
    expect(shown(model)).toEqual(['0+2 12345678', '2+1 a', '3+1 ', '4+2 日本語']);
    expect(model.rowsAt(1, 2).map(({ row }) => row.plain)).toEqual(['12345678', 'a']);
    expect(model.rowsAt(99, 2)).toEqual([]);
    expect(model.lines.count).toBe(6);
  });

  it('finds a text in both directions and around the end', () => {
    const model = new LogModel();
    model.append(lines('Error one', 'fine', 'error two'));
    expect(model.find('error', 1, 1)?.sequence).toBe(2);
    expect(model.find('error', 3, 1)?.sequence).toBe(0);
    expect(model.find('error', 1, -1)?.sequence).toBe(0);
    expect(model.find('none', 0, 1)).toBeUndefined();
    expect(model.find('', 0, 1)).toBeUndefined();
  });

  it('takes a flood without growing or slowing down', () => {
    const model = new LogModel();
    model.setFilter((text) => text.endsWith('7'));
    const started = performance.now();
    for (let batch = 0; batch < 2_000; batch++)
      model.append(lines(...Array.from({ length: 256 }, (_, index) => `line ${batch * 256 + index}`)));
    expect(model.counts.kept).toBe(100_000);
    expect(model.dropped).toBe(412_000);
    expect(model.counts.shown).toBe(10_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
