import { expect, it } from 'vitest';
import type { Change } from './change.ts';
import { loserOf } from './conflict-loser.ts';
import type { Entry } from './entry.ts';

const file: Extract<Entry, { kind: 'file' }> = {
  kind: 'file',
  size: 3,
  mode: 0o644,
  mtimeNs: 1n,
  ctimeNs: 1n,
  inode: 1n,
  links: 1,
};
const folder: Entry = { kind: 'directory', mode: 0o755, inode: 2n };
const link: Entry = { kind: 'symlink', target: 'elsewhere' };
const common = { path: 'a', keep: 'laptop', why: 'settled' } as const;
const put = (expected: Entry | undefined): Change => ({
  ...common,
  kind: 'put',
  expected,
  source: file,
  mode: 0o644,
});
const gone = (expected: Entry): Change => ({ ...common, kind: 'delete', expected });

it.each<[string, Change, ReturnType<typeof loserOf>]>([
  ['a file that another one replaces', put(file), 'trashed'],
  ['a file that goes', gone(file), 'trashed'],
  [
    'a file that only gets other permissions',
    { ...common, kind: 'chmod', expected: file, mode: 0o600 },
    'permissions',
  ],
  ['a link that makes room', gone(link), 'link'],
  ['a folder that makes room', gone(folder), 'folder'],
  [
    'a folder that only gets other permissions',
    { ...common, kind: 'chmod', expected: folder, mode: 0o700 },
    'permissions',
  ],
  ['what comes to a place that was made free', put(undefined), undefined],
  [
    'a link to a place that was made free',
    { ...common, kind: 'symlink', expected: undefined, target: 'b' },
    undefined,
  ],
])('the loser of a conflict: %s', (_name, change, expected) => {
  expect(loserOf(change)).toBe(expected);
});
