import { expect, it } from 'vitest';
import { conflictText } from './conflict-text.ts';

const link = { kind: 'symlink', target: 'b' } as const;

it.each([
  ['none', undefined, 'a changed on both sides; both versions stay until you choose.'],
  ['local', 'trashed', 'a changed on both sides; this machine’s version won, the other one is in the trash.'],
  [
    'remote',
    'trashed',
    'a changed on both sides; the container’s version won, the other one is in the trash.',
  ],
  ['local', 'link', 'a changed on both sides; this machine’s version won, the other one was a link to b.'],
  ['local', 'folder', 'a changed on both sides; this machine’s version won, the other one was a folder.'],
  ['remote', 'permissions', 'The permissions of a changed on both sides; the container’s won.'],
] as const)('a conflict that %s won (%s)', (winner, loser, expected) => {
  const conflict = { path: 'a', local: undefined, remote: link, reason: 'both-changed' } as const;
  expect(conflictText({ kind: 'conflict', conflict, winner, loser })).toBe(expected);
});
