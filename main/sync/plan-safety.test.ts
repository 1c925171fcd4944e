import { describe, expect, it } from 'vitest';
import type { Change, FileEntry, Side } from './change.ts';
import { fileOf } from './entry.fixture.ts';
import { checkPlan, defaultBrake } from './plan-safety.ts';

const deletions = (count: number, why: Change['why'] = 'propagate'): Change[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'delete',
    path: `f${index}`,
    expected: fileOf('1'),
    keep: 'side',
    why,
  }));
const check = (side: Side, count: number, files: number, more = {}): string[] =>
  checkPlan(
    side,
    deletions(count),
    { files, agreed: files, sourceEmpty: false, trashCapBytes: 1e9, ...more },
    defaultBrake,
  ).map(({ kind }) => kind);

describe('the brake', () => {
  it('lets ordinary deletions go', () => expect(check('remote', 100, 120)).toEqual([]));
  it('lets many go where they are less than half', () => expect(check('remote', 200, 1000)).toEqual([]));
  it('holds more than a hundred that are over half of a side', () =>
    expect(check('remote', 101, 200)).toEqual(['brake']));
  it('holds an emptied container though it held little', () =>
    expect(check('local', 2, 2, { sourceEmpty: true })).toEqual(['brake']));
  it('does not ask who clears a small folder of his own', () =>
    expect(check('remote', 8, 8, { sourceEmpty: true })).toEqual([]));
  it('holds an emptied laptop folder', () =>
    expect(check('remote', 10, 10, { sourceEmpty: true })).toEqual(['brake']));
  it('holds a root that is being emptied, whose folders go last, as a whole and its last piece', () => {
    expect(check('local', 60, 60, { sourceHollow: true })).toEqual(['brake']);
    expect(check('local', 1, 12, { sourceHollow: true, recentlyDeleted: 49 })).toEqual(['brake']);
    expect(check('remote', 9, 12, { sourceHollow: true })).toEqual([]);
    expect(check('local', 60, 60, { sourceHollow: true, agreed: 0 })).toEqual([]);
  });
  it('does not stop what a new root needs anyway', () =>
    expect(
      checkPlan(
        'remote',
        deletions(500, 'restored-root'),
        { files: 500, agreed: 500, sourceEmpty: false, trashCapBytes: 1e9 },
        defaultBrake,
      ),
    ).toEqual([]));
  it('is held when a removal comes in pieces, none of them many', () => {
    const facts = { files: 300, agreed: 500, sourceEmpty: false, trashCapBytes: 1e9 };
    expect(checkPlan('local', deletions(90), facts, defaultBrake)).toEqual([]);
    const [verdict] = checkPlan(
      'local',
      deletions(90),
      { ...facts, files: 250, recentlyDeleted: 90 },
      defaultBrake,
    );
    expect(verdict).toMatchObject({ kind: 'brake' });
    expect(verdict?.reason).toContain('after 90 files just before');
  });
  it('can be switched off', () =>
    expect(
      checkPlan(
        'remote',
        deletions(500),
        { files: 500, agreed: 500, sourceEmpty: true, trashCapBytes: 1e9 },
        { ...defaultBrake, enabled: false },
      ),
    ).toEqual([]));
});

describe('a first sync', () => {
  it('is held where it would overwrite or delete on the laptop, and says how much', () => {
    const put: Change = {
      kind: 'put',
      path: 'a',
      expected: fileOf('1'),
      source: fileOf('2') as never,
      mode: 0o644,
      keep: 'side',
      why: 'first-sync',
    };
    const [verdict] = checkPlan(
      'local',
      [put, ...deletions(2, 'first-sync')],
      { files: 9, agreed: 0, sourceEmpty: false, trashCapBytes: 1e9 },
      defaultBrake,
    );
    expect(verdict).toMatchObject({ kind: 'first-sync', paths: ['a', 'f0', 'f1'] });
    expect(verdict?.reason).toBe('The first sync would overwrite 1 file and delete 2 files on this machine');
  });
  it('is not held for what happens in the container', () =>
    expect(
      checkPlan(
        'remote',
        deletions(2, 'first-sync'),
        { files: 9, agreed: 0, sourceEmpty: false, trashCapBytes: 1e9 },
        defaultBrake,
      ),
    ).toEqual([]));
});

describe('the cap of the trash', () => {
  const facts = { files: 9, agreed: 9, sourceEmpty: false, trashCapBytes: 3 * 1024 };
  const sized = (size: number, keep: Change['keep'] = 'side'): Change => ({
    kind: 'delete',
    path: `s${size}`,
    expected: { ...(fileOf('1') as FileEntry), size },
    keep,
    why: 'propagate',
  });
  const off = { ...defaultBrake, enabled: false };
  it('holds one batch on the laptop whose old versions are more, whatever the brake is set to', () =>
    expect(checkPlan('local', [sized(2048), sized(1536)], facts, off)).toEqual([
      {
        kind: 'trash-cap',
        side: 'local',
        reason:
          '2 files with 3.5 KiB would be replaced or deleted on this machine at once, more than the trash keeps (3 KiB)',
        paths: ['s2048', 's1536'],
      },
    ]));
  it('lets a batch go that fits', () =>
    expect(checkPlan('local', [sized(2048), sized(1024)], facts, off)).toEqual([]));
  it('counts what is fetched from the container, not what stays there', () => {
    expect(checkPlan('remote', [sized(2048, 'laptop'), sized(1536, 'laptop')], facts, off)).toHaveLength(1);
    expect(checkPlan('remote', [sized(2048), sized(1536)], facts, off)).toEqual([]);
  });
  it('is named where somebody is asked for another reason anyway', () => {
    const emptied = { ...facts, sourceEmpty: true };
    const [brake] = checkPlan('local', [sized(2048), sized(1536)], emptied, defaultBrake);
    expect(brake?.reason).toMatch(/^Everything was deleted .*more than the trash keeps \(3 KiB\)$/);
  });
});
