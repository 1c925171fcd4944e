import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('|---'));
/** Paths of this repository in a text; what else stands between backquotes has no slash or no such beginning. */
const pathsIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /`((?:main|renderer|preload|contract|helper|tests|scripts)\/[^` ]+|[\w.-]+\.(?:yml|mjs|json))`/g,
    ),
  ].map(([, path]) => path ?? '');

test('every file that the security page names is there', () => {
  const paths = rows.flatMap(pathsIn);
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every test that the security page names is in its file', () => {
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`([^`]+\.test\.ts)`: ([^;|]+)/g)].map(([, file, title]) => ({
      file: file ?? '',
      title: (title ?? '').trim(),
    })),
  );
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(({ file, title }) => {
    const source = readFileSync(join(root, file), 'utf8');
    // A title that has a quotation mark is written with a backslash before it.
    return !source.includes(title) && !source.includes(title.replaceAll("'", "\\'"));
  });
  expect(missing).toEqual([]);
});

test('the list of Electron has its twenty points, each with a file and a test', () => {
  const points = rows
    .filter((row) => /^\| \d+ \|/.test(row))
    .map((row) => row.split('|').map((cell) => cell.trim()));
  expect(points.map(([, number]) => Number(number))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  const incomplete = points.filter(
    ([, , , where = '', proof = '']) => pathsIn(where).length === 0 || !/\.test\.ts`: \S/.test(proof),
  );
  expect(incomplete).toEqual([]);
});
