import { describe, expect, it } from 'vitest';
import { pathGlob } from './path-glob.ts';

/** Glob, then paths that it names, then paths that it does not; as the doublestar package of Go documents them. */
const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['package.json', ['package.json'], ['src/package.json', 'packageXjson', 'package.json.bak']],
  ['package*.json', ['package.json', 'package-lock.json'], ['a/package.json']],
  ['**/package.json', ['package.json', 'a/package.json', 'a/b/package.json'], ['a/xpackage.json']],
  ['src/**', ['src/a', 'src/a/b'], ['srca', 'a/src/b']],
  ['src/**/*.ts', ['src/a.ts', 'src/b/c.ts'], ['src/a.js', 'a.ts']],
  ['*.{js,ts}', ['a.js', 'b.ts'], ['a.go', 'd/a.js']],
  ['{a,b}/{c,d}', ['a/c', 'b/d'], ['a/b', 'c/d']],
  ['a?c', ['abc'], ['ac', 'a/c', 'abbc']],
  ['[a-c]x', ['ax', 'cx'], ['dx']],
  ['[!a-c]x', ['dx'], ['ax']],
  ['a+b(c)', ['a+b(c)'], ['aab(c)', 'a+bc']],
  ['./src/*', ['src/a'], ['src/a/b']],
  ['/src/*', ['src/a'], ['src/a/b']],
  ['**', ['a', 'a/b/c'], []],
];

describe('a glob of changed paths', () => {
  for (const [glob, named, others] of rows) {
    it(`${glob} names ${named.join(', ')} alone`, () => {
      const test = pathGlob(glob);
      expect([...named, ...others].filter((path) => test?.(path))).toEqual([...named]);
    });
  }
  it('is refused when it cannot be read or has too many alternatives', () => {
    expect(pathGlob('{a')).toBeUndefined();
    expect(pathGlob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toBeUndefined();
  });
  it('takes no time on what would explode', () => {
    const began = performance.now();
    expect(pathGlob(`${'*a'.repeat(40)}b`)?.('a'.repeat(2000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
