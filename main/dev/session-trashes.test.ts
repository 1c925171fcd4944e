import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import type { PairView } from '../sync/pair-view.ts';
import type { TrashedVersion } from '../sync/trash.ts';
import { restoreVersions, searchContainerTrash, searchTrash } from './session-trashes.ts';
import { batchesOf } from './trash-batches.ts';

const version = (id: string, trashedAt: number, part: Partial<TrashedVersion> = {}): TrashedVersion => ({
  ...{ id, path: `src/${id}`, size: 1, mode: 0o644, trashedAt, reason: 'deleted', origin: 'local' },
  ...part,
});
const versions = [
  version('a', 1000),
  version('b', 2500),
  version('x', 2600, { reason: 'overwritten' }),
  version('c', 4400),
  version('late', 9000),
];

function trashOf(found: readonly TrashedVersion[]) {
  const calls: (string | undefined)[][] = [];
  const view = {
    trashed: () => Promise.resolve(found),
    restore: (id: string, to?: string) => {
      calls.push([id, to]);
      if (id === 'x')
        return Promise.reject(
          new SlipwayError({ code: 'sync.path-refused', message: 'No.', cause: 'In the way.', next: '' }),
        );
      return Promise.resolve(`src/${id}`);
    },
    containerTrash: () =>
      Promise.resolve([{ id: '9', path: 'src/Old', entry: undefined, size: 7, trashedAt: 5 }]),
  } as unknown as PairView;
  return { calls, session: { views: [view], view: () => view } };
}

it('versions that went at the same time for the same reason are a batch', () => {
  const batches = batchesOf(versions);
  expect([...batches.keys()].sort()).toEqual(['a', 'b', 'c']);
  expect(new Set([...batches.values()].map(({ batch }) => batch)).size).toBe(1);
  expect(batches.get('a')?.count).toBe(3);
});

describe('the trash of a session', () => {
  it('is searched in paths, the latest first', async () => {
    const { session } = trashOf(versions);
    const { entries, total } = await searchTrash(session, 'SRC/');
    expect(entries.map(({ id }) => id)).toEqual(['late', 'c', 'x', 'b', 'a']);
    expect(total).toBe(5);
    expect(entries[1]).toMatchObject({ batchCount: 3 });
    expect((await searchTrash(session, 'late')).total).toBe(1);
  });

  it('gives several back, and says what it could not', async () => {
    const { session, calls } = trashOf(versions);
    const found = await restoreVersions(session, {
      versions: ['a', 'x', 'c'].map((id) => ({ pair: 0, id })),
    });
    expect(found).toEqual({
      restored: ['src/a', 'src/c'],
      failed: [{ path: 'src/x', message: 'No. In the way.' }],
    });
    expect(calls.every(([, to]) => to === undefined)).toBe(true);
  });

  it('gives a whole batch back, below another folder too', async () => {
    const { session, calls } = trashOf(versions);
    const { entries } = await searchTrash(session, 'src/a');
    const folder = mkdtempSync(`${tmpdir()}/slipway-to-`);
    const batch = { pair: 0, batch: entries[0]?.batch ?? '' };
    const found = await restoreVersions(session, { batch, to: folder });
    expect(found.restored).toHaveLength(3);
    expect(calls.map(([, to]) => to)).toEqual(Array(3).fill(realpathSync(folder)));
    rmSync(folder, { recursive: true });
    await expect(restoreVersions(session, { batch, to: 'relative' })).rejects.toThrow(/no folder/);
    await expect(restoreVersions(session, { batch, to: folder })).rejects.toThrow(/no folder/);
  });

  it('tells what the container keeps', async () => {
    const { session } = trashOf([]);
    expect(await searchContainerTrash(session, 'old')).toEqual({
      ...{ count: 1, bytes: 7 },
      entries: [{ id: '9', pair: 0, path: 'src/Old', size: 7, trashedAt: '1970-01-01T00:00:00.005Z' }],
    });
    expect((await searchContainerTrash(session, 'new')).entries).toEqual([]);
  });
});
