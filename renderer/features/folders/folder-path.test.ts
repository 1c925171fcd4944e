import { describe, expect, it } from 'vitest';
import type { FolderEntry } from '../../../contract/app.ts';
import { below, commonStart, lastName, matching, openEnded, splitTyped } from './folder-path.ts';

function entries(...names: readonly string[]): readonly FolderEntry[] {
  return names.map((name) => ({ name, hidden: name.startsWith('.'), marks: [] }));
}

describe('a path that is typed', () => {
  it.each([
    ['/', '/', ''],
    ['/ho', '/', 'ho'],
    ['/home/', '/home', ''],
    ['/home/an', '/home', 'an'],
    ['/a\\b/c', '/a\\b', 'c'],
    ['~', '~', ''],
    ['~/pro', '~', 'pro'],
    ['', '', ''],
    ['C:\\', 'C:\\', ''],
    ['C:\\Users\\an', 'C:\\Users', 'an'],
  ])('%j lists %j for names with %j', (text, folder, start) => {
    expect(splitTyped(text)).toEqual({ folder, start });
  });

  it('is made longer', () => {
    expect([below('/', 'a'), below('/a', 'b'), below('C:\\', 'a'), openEnded('/a'), openEnded('/')]).toEqual([
      ...['/a', '/a/b', 'C:\\a', '/a/', '/'],
    ]);
  });

  it('has a last name', () => {
    expect([lastName('/home/anna/shop'), lastName('/'), lastName('C:\\x\\y')]).toEqual(['shop', '/', 'y']);
  });
});

describe('names that match', () => {
  const all = entries('Shop', 'shop-api', 'other', '.git');

  it.each([
    ['', false, 3],
    ['', true, 4],
    ['.', false, 1],
    ['SH', false, 2],
    ['x', false, 0],
  ])('%j', (start, hidden, count) => {
    expect(matching(all, start, hidden)).toHaveLength(count);
  });

  it('are completed as far as they agree', () => {
    expect(commonStart(matching(all, 's', false))).toBe('Shop');
    expect(commonStart([])).toBe('');
    expect(commonStart(entries('a', 'b'))).toBe('');
  });
});
