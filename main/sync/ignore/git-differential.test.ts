import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainIgnore } from './explain.ts';

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'ab',
    'é',
    'a b',
    '.x',
    'a.b',
    '日',
    '*',
    '?',
    '[ab]',
    '[!a]',
    '[^b]',
    'a-',
    '**',
    '***',
    '#',
    '!',
  ),
  fc.constantFrom(
    '[a-c]',
    '[]a]',
    '[[:alpha:]]',
    '\\a',
    '\\*',
    '\\',
    '[',
    ' ',
    ',',
    '+',
    '(',
    '{a,b}',
    '$',
    '^',
    '[a',
    '[z-a]',
    '??',
  ),
);
/** Several one-byte wildcards that differ, and a character that they would have to share: known not to be exact. */
const sharesCharacters = (text: string): boolean =>
  (text.match(/\?+|\[[!^]/g) ?? []).length > 1 && /\[[!^]/.test(text);
/** A class with half a character in it. */
const splitsCharacters = (text: string): boolean => /\[[^\]]*[^\x20-\x7e]/.test(text);
const segment = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))
  .filter((text) => !sharesCharacters(text));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/'),
    fc.array(segment, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/', ' ', '/**', '\r'),
  )
  .map(([head, segments, tail]) => head + segments.join('/') + tail)
  .filter((text) => !splitsCharacters(text));
const name = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'c',
      'é',
      '日',
      '.',
      '-',
      ' ',
      '*',
      ']',
      '[',
      'x',
      '\\',
      '+',
      '(',
      '!',
      '#',
      'ab',
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((letters) => letters.join(''))
  .filter((text) => text !== '.' && text !== '..' && text !== '...');
const path = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([names, folder]) => names.join('/') + (folder ? '/' : ''));

describe('the matcher against git check-ignore', () => {
  let repository: string;
  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), 'slipway-ignore-'));
    git(['init', '-q'], '');
  });
  afterAll(() => rmSync(repository, { recursive: true }));

  function git(args: readonly string[], input: string): string {
    const environment = {
      PATH: process.env['PATH'],
      HOME: repository,
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
    };
    return spawnSync('git', args, { cwd: repository, input, encoding: 'utf8', env: environment }).stdout;
  }

  /** `--no-index` with `--verbose --non-matching` names each path with the deciding pattern, or with none. */
  function gitIgnores(patterns: readonly string[], paths: readonly string[]): readonly string[] {
    writeFileSync(join(repository, '.gitignore'), patterns.join('\n'));
    const folders = paths.filter((candidate) => candidate.endsWith('/'));
    for (const folder of folders) mkdirSync(join(repository, folder), { recursive: true });
    const input = paths.map((candidate) => candidate.replace(/\/$/, '')).join('\0') + '\0';
    const output = git(['check-ignore', '--no-index', '--stdin', '-z', '-v', '-n'], input);
    for (const folder of folders) {
      rmSync(join(repository, folder.split('/')[0] ?? folder), { recursive: true, force: true });
    }
    const fields = output.split('\0');
    return paths.map((_, index) => {
      const found = fields[index * 4 + 2] ?? '';
      return found !== '' && !found.startsWith('!') ? 'ignored' : 'kept';
    });
  }

  it('agrees on random patterns and paths', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(path, { minLength: 20, maxLength: 40 }),
        (patterns, candidates) => {
          const paths = candidates.filter(
            (file) => file.endsWith('/') || !candidates.some((other) => other.startsWith(`${file}/`)),
          );
          const expected = gitIgnores(patterns, paths);
          const text = patterns.join('\n');
          const ours = paths.map((candidate) => explainIgnore(text, candidate));
          expect(Object.fromEntries(paths.map((p, i) => [p, ours[i]]))).toEqual(
            Object.fromEntries(paths.map((p, i) => [p, expected[i]])),
          );
        },
      ),
      {
        numRuns: Number(process.env['IGNORE_RUNS'] ?? 100),
        // Each run starts git: a slow machine does fewer.
        plugins: process.env['IGNORE_RUNS'] === undefined ? [fc.interruptAfterTimeLimit(10_000)] : [],
      },
    );
  });
});
