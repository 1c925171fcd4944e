import fc from 'fast-check';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkProblem, pathProblem } from './paths.ts';

describe('paths from the other side', () => {
  const bad = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/..',
    'a/../b',
    'a/./b',
    './a',
    'a\0b',
    'x\uFFFDy',
    '\ud800',
    'a/'.repeat(2100) + 'a',
    'n'.repeat(256),
  ];
  for (const path of bad)
    it(`refuses ${JSON.stringify(path.slice(0, 20))}`, () => expect(pathProblem(path)).toBeDefined());
  const good = [
    'a',
    '-rf',
    '$HOME',
    'b`id`.txt',
    'nl\nx',
    'tab\t',
    '...',
    '..a',
    'a..',
    'CON',
    'x.',
    '日/é',
    '\u202eabc',
    'n'.repeat(255),
    'a\\b',
    'c:',
  ];
  for (const path of good)
    it(`takes ${JSON.stringify(path.slice(0, 20))}`, () => expect(pathProblem(path)).toBeUndefined());
  const notOnWindows = ['CON', 'con.txt', 'a/NUL', 'x.', 'x ', 'a:b', 'a\\b', 'q?', 'COM1', 'nl\nx', 'a|b'];
  for (const path of notOnWindows) {
    it(`refuses ${JSON.stringify(path)} on Windows`, () =>
      expect(pathProblem(path, { windows: true, caseInsensitive: true, normalising: false })).toBeDefined());
  }
  it('takes nothing that resolves out of the root', () => {
    const part = fc.constantFrom('a', '..', '.', '', 'b', '...', '/', '\\');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const path = parts.join('/');
        if (pathProblem(path) !== undefined) return;
        expect(posix.resolve('/root', path).startsWith('/root/')).toBe(true);
        expect(posix.normalize(path)).toBe(path);
      }),
    );
  });
});

describe('links', () => {
  const inside = [
    ['a', 'b'],
    ['d/a', '../b'],
    ['d/e/a', '../../x/y'],
    ['nm/.bin/x', '../x/bin/x.js'],
    ['a', '.'],
    ['d/a', 'missing'],
  ];
  for (const [path = '', target = ''] of inside)
    it(`keeps ${path} -> ${target}`, () => expect(linkProblem(path, target)).toBeUndefined());
  const outside = [
    ['a', '/etc/passwd'],
    ['a', '..'],
    ['d/a', '../../x'],
    ['a', 'b/../../x'],
    ['a', 'C:\\x'],
    ['a', '..\\x'],
    ['a', ''],
    ['a', 'x\0'],
  ];
  for (const [path = '', target = ''] of outside)
    it(`refuses ${path} -> ${JSON.stringify(target)}`, () => expect(linkProblem(path, target)).toBeDefined());
  it('keeps none that points out, whatever its text', () => {
    const part = fc.constantFrom('a', '..', '.', '', 'b');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('l', 'd/l', 'd/e/l'),
        (parts, path) => {
          const target = parts.join('/');
          if (linkProblem(path, target) !== undefined) return;
          expect(`${posix.resolve('/root', posix.dirname(path), target)}/`.startsWith('/root/')).toBe(true);
        },
      ),
    );
  });
});
