import { describe, expect, it } from 'vitest';
import { strategies } from '../../contract/workloads.ts';
import { decidePath } from '../sync/decide.ts';
import type { Entry } from '../sync/entry.ts';
import type { Strategy } from '../sync/strategy.ts';
import { compareFiles } from './compare-files.ts';

const here = new Map([
  ['both', 1],
  ['differs', 2],
  ['here', 4],
]);
const there = new Map([
  ['both', 1],
  ['differs', 8],
  ['there', 16],
]);

/** Which step each path is in. */
function steps(strategy: Strategy): Record<string, string> {
  const { same, ...counts } = compareFiles(here, there, strategy);
  expect(same).toBe(1);
  return Object.fromEntries(
    Object.entries(counts).flatMap(([step, { examples }]) => examples.map((path) => [path, step])),
  );
}

describe('what a first sync would do with files', () => {
  it.each<[Strategy, Record<string, string>]>([
    ['preferLocal', { here: 'upload', there: 'download', differs: 'overwriteInContainer' }],
    ['preferRemote', { here: 'upload', there: 'download', differs: 'overwriteHere' }],
    ['mirrorLocal', { here: 'upload', there: 'deleteInContainer', differs: 'overwriteInContainer' }],
    ['mirrorRemote', { here: 'deleteHere', there: 'download', differs: 'overwriteHere' }],
    ['preferNewest', { here: 'upload', there: 'download', differs: 'undecided' }],
    ['keepAll', { here: 'upload', there: 'download', differs: 'undecided' }],
    ['disabled', { differs: 'undecided' }],
  ])('with %s is %j', (strategy, expected) => {
    expect(steps(strategy)).toEqual(expected);
  });

  /** The sync itself is the oracle. */
  it.each(strategies)('with %s is what the sync decides', (strategy) => {
    const file = (size: number): Entry => ({
      kind: 'file',
      mode: 0o644,
      size,
      mtimeNs: BigInt(size),
      ctimeNs: 0n,
      inode: 0n,
      links: 1,
      digest: String(size),
    });
    const decide = (local: Entry | undefined, remote: Entry | undefined): string => {
      const verdict = decidePath({
        ...{ ancestor: undefined, local, remote, strategy, initial: true, rootChanged: false },
        ...{ modeMask: 0o777, uploadBlocked: false, downloadBlocked: false },
      });
      return verdict.kind === 'take' ? `take ${verdict.from}` : verdict.kind;
    };
    const meaning: Record<string, string> = {
      upload: 'take local',
      overwriteInContainer: 'take local',
      deleteInContainer: 'take local',
      download: 'take remote',
      overwriteHere: 'take remote',
      deleteHere: 'take remote',
      undecided: 'conflict',
      nothing: 'leave',
    };
    const found = steps(strategy);
    expect(meaning[found['here'] ?? 'nothing']).toBe(decide(file(4), undefined));
    expect(meaning[found['there'] ?? 'nothing']).toBe(decide(undefined, file(16)));
    expect(meaning[found['differs'] ?? 'nothing']).toBe(decide(file(2), file(8)));
  });

  it('counts the bytes that travel', () => {
    const counts = compareFiles(here, there, 'preferLocal');
    expect(counts.overwriteInContainer.bytes).toBe(2);
    expect(counts.download.bytes).toBe(16);
    expect(compareFiles(here, there, 'preferRemote').overwriteHere.bytes).toBe(8);
  });

  it('names a few of many', () => {
    const many = new Map(Array.from({ length: 1000 }, (_, index) => [`f${index}`, 1]));
    const { upload } = compareFiles(many, new Map(), 'preferLocal');
    expect(upload.files).toBe(1000);
    expect(upload.examples).toHaveLength(8);
  });
});
