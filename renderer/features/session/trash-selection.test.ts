import { expect, it } from 'vitest';
import type { TrashEntry } from '../../../contract/sessions.ts';
import { countOf, inOrder, overtaken, pathsOf, versionKey } from './trash-selection.ts';

const entry = (id: string, path: string, part: Partial<TrashEntry> = {}): TrashEntry => ({
  ...{ id, pair: 0, path, size: 1, trashedAt: `2026-01-0${id}T00:00:00.000Z`, reason: 'deleted' },
  ...{ origin: 'local', ...part },
});
const all = [entry('3', 'a'), entry('2', 'b', { batch: 'x', batchCount: 3 }), entry('1', 'a')];

it('versions are told apart, ordered and counted', () => {
  expect(versionKey(all[1]!)).toBe('0.2');
  expect(inOrder(all).map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(overtaken(all)).toEqual(['a']);
  expect(overtaken([...all.slice(0, 2), entry('9', 'a', { pair: 1 })])).toEqual([]);
  expect(countOf({ kind: 'versions', entries: all })).toBe(3);
});

it('a batch touches what is listed of it, and more', () => {
  const batch = { kind: 'batch', entry: all[1]!, batch: 'x', count: 3 } as const;
  expect(pathsOf(batch, all)).toEqual(['b']);
  expect(countOf(batch)).toBe(3);
});
