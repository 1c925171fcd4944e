import { describe, expect, it } from 'vitest';
import type { Change, Side } from './change.ts';
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
  checkPlan(side, deletions(count), { files, agreed: files, sourceEmpty: false, ...more }, defaultBrake).map(
    ({ kind }) => kind,
  );

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
  it('does not stop what a new root needs anyway', () =>
    expect(
      checkPlan(
        'remote',
        deletions(500, 'restored-root'),
        { files: 500, agreed: 500, sourceEmpty: false },
        defaultBrake,
      ),
    ).toEqual([]));
  it('can be switched off', () =>
    expect(
      checkPlan(
        'remote',
        deletions(500),
        { files: 500, agreed: 500, sourceEmpty: true },
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
      { files: 9, agreed: 0, sourceEmpty: false },
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
        { files: 9, agreed: 0, sourceEmpty: false },
        defaultBrake,
      ),
    ).toEqual([]));
});
