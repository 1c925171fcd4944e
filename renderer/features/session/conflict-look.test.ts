import { describe, expect, it } from 'vitest';
import type { FileVersion } from '../../../contract/sessions.ts';
import { comparisonOf, cutNote, standingOf, wordsOf } from './conflict-look.ts';

const file = (part: Partial<FileVersion>): FileVersion => ({ where: 'laptop', kind: 'file', ...part });
const of = (local: Partial<FileVersion>, remote: Partial<FileVersion>) => ({
  ...{ local: file(local), remote: file(remote), canSwap: false },
});

describe('what is shown of both versions', () => {
  it.each([
    [{ text: 'a' }, { text: 'b' }, 'lines'],
    [{ text: 'a', digest: 'x' }, { text: 'a', digest: 'x' }, 'Both are alike now'],
    [{ text: 'a' }, { binary: true }, 'Not text'],
    [{ text: 'a' }, { kind: 'missing' }, 'Nothing to compare line by line'],
    [{ text: 'a' }, { problem: 'EACCES' }, 'One version cannot be read'],
  ] as const)('%o and %o', (local, remote, expected) => {
    const found = comparisonOf(of(local, remote));
    expect(found.kind === 'lines' ? 'lines' : found.title).toBe(expected);
  });

  it('is said to be cut', () => {
    expect(cutNote(of({}, { cut: true }))).toBe('Only the first 262 KB are shown and compared.');
    expect(cutNote(of({}, {}))).toBeUndefined();
  });
});

it('a version in words', () => {
  expect(wordsOf(file({ size: 2100 }))).toBe('a file of 2.1 KB');
  expect(wordsOf(file({ kind: 'symlink', target: '/x' }))).toBe('a link to /x');
  expect(wordsOf(file({ kind: 'missing', where: 'trash' }))).toBe('not in the trash any more');
});

it('who won', () => {
  expect([standingOf('local', 'local'), standingOf('local', 'remote'), standingOf('none', 'local')]).toEqual([
    ...['won', 'lost', 'waits'],
  ]);
});
