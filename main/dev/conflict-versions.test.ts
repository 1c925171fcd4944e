import { describe, expect, it } from 'vitest';
import type { ConflictNote, FileVersion } from '../../contract/sessions.ts';
import type { TrashedVersion } from '../sync/trash.ts';
import { conflictVersions, loserAmong, swapConflict } from './conflict-versions.ts';
import { heldPage } from './held-page.ts';
import type { PathKnowledge } from '../sync/file-state.ts';

const at = new Date(10_000_000).toISOString();
const note = (part: Partial<ConflictNote>): ConflictNote => ({
  ...{ path: 'a', winner: 'local', loser: 'trashed', message: '', at },
  ...part,
});
const lost: TrashedVersion = {
  ...{ id: '1', path: 'a', size: 3, mode: 0o644, trashedAt: 9_999_000, reason: 'conflict', origin: 'remote' },
};

function viewOf(versions: readonly TrashedVersion[]) {
  const restored: string[] = [];
  return {
    restored,
    trashed: () => Promise.resolve(versions),
    trashedVersion: ({ id }: TrashedVersion): Promise<FileVersion> =>
      Promise.resolve({ where: 'trash', kind: 'file', text: id }),
    version: (where: 'laptop' | 'container'): Promise<FileVersion> =>
      Promise.resolve({ where, kind: 'file', text: where }),
    restore: (id: string) => {
      restored.push(id);
      return Promise.resolve('a');
    },
  };
}

describe('both versions of a conflict', () => {
  it.each([
    [{}, false, ['laptop', 'trash'], true],
    [{}, true, ['container', 'trash'], true],
    [{ winner: 'remote' }, false, ['trash', 'laptop'], false],
    [{ winner: 'none', loser: undefined }, false, ['laptop', 'container'], false],
    [{ loser: 'permissions' }, false, ['laptop', 'container'], false],
    [{ loser: 'link' }, false, ['laptop', 'trash'], false],
  ] as const)('%o, fresh %s', async (part, fresh, places, canSwap) => {
    const found = await conflictVersions(viewOf([lost]), note(part), { fresh });
    expect([found.local.where, found.remote.where]).toEqual(places);
    expect(found.canSwap).toBe(canSwap);
  });

  it('are exchanged by restoring the one that lost', async () => {
    const view = viewOf([lost]);
    expect(await swapConflict(view, note({}))).toBe(
      'a: the container’s version is taken; this machine’s one is in the trash.',
    );
    expect(view.restored).toEqual(['1']);
    await expect(swapConflict(view, note({ winner: 'none' }))).rejects.toThrow(/cannot be taken/);
    await expect(swapConflict(viewOf([]), note({}))).rejects.toThrow(/cannot be taken/);
  });
});

describe('a page of held paths', () => {
  const know = (path: string): PathKnowledge => ({
    ...{ agreed: undefined, held: 'brake', waiting: false, difference: undefined },
    local: path === 'd' ? { kind: 'directory', mode: 0, inode: 1n } : undefined,
    remote: {
      ...{ kind: 'file', mode: 0, size: 10, mtimeNs: 0n, ctimeNs: 0n, inode: 1n, links: 1 },
    },
  });

  it('says what each side has, and sums over all of them', () => {
    const held = { paths: ['A1', 'a2', 'd'], view: { know } };
    expect(heldPage(held, { offset: 1, search: 'a' })).toEqual({
      ...{ paths: ['a2'], total: 2 },
      entries: [{ path: 'a2', container: { kind: 'file', size: 10 } }],
      ...{ laptop: { count: 1, bytes: 0 }, container: { count: 3, bytes: 30 } },
    });
    expect(heldPage(undefined, { offset: 0, search: '' })).toEqual({ paths: [], total: 0 });
  });
});

describe('the version that lost', () => {
  const about = { path: 'a', winner: 'local' as const, at: 10_000_000, swappedAt: undefined };

  it.each([
    ['is the one of its side', [lost, trashed({ id: '2', reason: 'conflict', trashedAt: 9_999_500 })], '1'],
    ['is of its path', [{ ...lost, path: 'b' }], undefined],
    ['was a conflict', [{ ...lost, reason: 'deleted' as const }], undefined],
    ['is the latest before it was told', [lost, { ...lost, id: '3', trashedAt: 9_999_900 }], '3'],
    ['is none of a later conflict', [lost, { ...lost, id: '4', trashedAt: 10_100_000 }], '1'],
    ['is none of long before', [{ ...lost, trashedAt: 1 }], undefined],
  ])('%s', (_, versions, expected) => {
    expect(loserAmong(versions, about)?.id).toBe(expected);
  });

  it('is after a swap what the swap put away, and nothing while it is held', () => {
    const put = trashed({ id: '5', reason: 'overwritten', trashedAt: 20_000_000 });
    const swapped = { ...about, winner: 'remote' as const, swappedAt: 20_000_000 };
    expect(loserAmong([lost, put], swapped)?.id).toBe('5');
    expect(loserAmong([lost, put], { ...about, winner: 'none' })).toBeUndefined();
  });
});

function trashed(part: Partial<TrashedVersion>): TrashedVersion {
  return { ...lost, reason: 'deleted', origin: 'local', ...part };
}
