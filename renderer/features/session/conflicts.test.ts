import { describe, expect, it } from 'vitest';
import type { ConflictNote, HeldWork, SessionDetail } from '../../../contract/sessions.ts';
import { conflictLine, conflictRows } from './conflicts.ts';

const note = (path: string, part: Partial<ConflictNote> = {}): ConflictNote => ({
  path,
  winner: 'none',
  message: '',
  at: '2026-03-03T12:00:00Z',
  ...part,
});
const hold = (path: string): HeldWork => ({
  id: path,
  pair: 0,
  kind: 'conflict',
  reason: '',
  paths: [path],
  count: 1,
  choices: ['local', 'remote', 'leave'],
});
const rows = (conflicts: readonly ConflictNote[], held: readonly HeldWork[] = [], total = held.length) =>
  conflictRows({
    conflicts: Object.fromEntries(conflicts.map((one, index) => [String(index), one])),
    held: Object.fromEntries(held.map((one) => [one.id, one])),
    summary: { held: total } as SessionDetail['summary'],
  });

describe('what is said of a conflict', () => {
  it.each([
    [
      { winner: 'local', loser: 'trashed' },
      'This machine’s version won; the container’s is in the trash',
      true,
    ],
    [
      { winner: 'remote', loser: 'trashed' },
      'The container’s version won; this machine’s is in the trash',
      true,
    ],
    [{ winner: 'local', loser: 'link' }, 'This machine’s version won; the container’s was a link', false],
    [
      { winner: 'remote', loser: 'folder' },
      'The container’s version won; this machine’s was a folder, its files are in the trash',
      false,
    ],
    [{ winner: 'remote', loser: 'permissions' }, 'Only permissions differed; the container’s won', false],
    [{ winner: 'local' }, 'This machine’s version won', false],
  ] as const)('settled: %j', (part, words, trashed) => {
    expect(rows([note('a', part)])).toMatchObject([{ words, trashed, waits: false }]);
  });

  it('held: that both stay, as long as it waits', () => {
    expect(rows([note('a')], [hold('a')])[0]).toMatchObject({
      waits: true,
      words: 'Both versions stay until you choose',
    });
    expect(rows([note('a')])[0]?.words).toMatch(/^Waited/);
    expect(rows([note('a')], [hold('b')], 250)[0]?.words).toMatch(/^Waits, or/);
  });
});

describe('the list of conflicts', () => {
  it('has the latest first, and leaves out that one was held which is settled by now', () => {
    const found = rows(
      [
        note('a', { winner: 'local', loser: 'trashed' }),
        note('b'),
        note('a'),
        note('b', { winner: 'remote', loser: 'trashed' }),
      ],
      [hold('a')],
    );
    expect(found.map(({ note: { path, winner } }) => [path, winner])).toEqual([
      ['b', 'remote'],
      ['a', 'none'],
      ['a', 'local'],
    ]);
  });

  it('is summed up in a line', () => {
    expect(conflictLine(rows([note('a')], [hold('a')]))).toBe('One waits for your choice.');
    expect(
      conflictLine(
        rows([
          note('a', { winner: 'local', loser: 'trashed' }),
          note('b', { winner: 'local', loser: 'trashed' }),
        ]),
      ),
    ).toBe('2 versions that lost are in the trash.');
    expect(conflictLine(rows([note('a', { winner: 'local', loser: 'permissions' })]))).toBe(
      'No version was lost.',
    );
  });
});
