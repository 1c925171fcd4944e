import { expect, it } from 'vitest';
import { entryText, heldSums } from './held-sums.ts';

it('says how much of a mass deletion is on each side', () => {
  const sums = { laptop: { count: 1204, bytes: 18_400_000 }, container: { count: 0, bytes: 0 } };
  expect(heldSums({ kind: 'brake', side: 'laptop' }, sums)).toEqual([
    'This machine has 1,204 of them (18.4 MB), which would be deleted.',
    'The container has none of them.',
  ]);
  expect(heldSums({ kind: 'conflict', side: undefined }, sums)[0]).toBe(
    'This machine has 1,204 of them (18.4 MB).',
  );
  expect(heldSums({ kind: 'brake', side: 'laptop' }, {})).toEqual([]);
});

it('names what a side has', () => {
  expect(entryText('here', { kind: 'file', size: 2100 })).toBe('here: 2.1 KB');
  expect(entryText('container', { kind: 'directory' })).toBe('container: folder');
  expect(entryText('here', undefined)).toBe('');
});
