import { describe, expect, it } from 'vitest';
import type { Entry } from './entry.ts';
import { entryOf } from './entry.fixture.ts';
import { HintQueue, hotFileAgeMs, stillMs, truncatedStillMs } from './hint-queue.ts';

const file = (size: number, inode = 1n, mtimeNs = BigInt(size)): Entry => {
  const entry = entryOf('1');
  if (entry?.kind !== 'file') throw new Error('No file');
  return { ...entry, size, inode, mtimeNs, ctimeNs: mtimeNs };
};
const idle = (): boolean => false;

/** What a path looks like at each time (every 4 ms from 0 on); resolves with when it is taken for settled. */
function settledAt(known: Entry | undefined, looks: readonly Entry[]): number {
  const queue = new HintQueue();
  queue.add('f', 0);
  for (let now = 0; now < 1000; now += 2) {
    for (const [path, pending] of queue.takeDue(now, idle)) {
      const found = looks[Math.min(Math.floor(now / 4), looks.length - 1)];
      if (queue.settle(path, pending, found, known, now)) return now;
    }
  }
  return Infinity;
}

describe('a file that is being written', () => {
  it.each([
    ['new and whole', undefined, [file(10)], stillMs],
    ['longer and whole', file(5), [file(10)], stillMs],
    ['shorter, and another file moved into place', file(10), [file(5, 2n)], stillMs],
    ['shorter where it lies', file(10), [file(5)], truncatedStillMs],
    ['emptied', file(10), [file(0, 2n)], truncatedStillMs],
    [
      'truncated and then written slowly',
      file(100),
      [file(0), file(0), file(40), file(40), file(40), file(40), file(120)],
      truncatedStillMs + stillMs,
    ],
  ] as const)('is looked at until it rests: %s', (_what, known, looks, when) => {
    expect(settledAt(known, looks)).toBeGreaterThanOrEqual(when);
    expect(settledAt(known, looks)).toBeLessThanOrEqual(when + truncatedStillMs);
  });

  it('is taken as it is at last when it never rests', () => {
    const looks = Array.from({ length: 400 }, (_, index) => file(100, 1n, BigInt(index)));
    expect(settledAt(file(1), looks)).toBeGreaterThanOrEqual(hotFileAgeMs);
    expect(settledAt(file(1), looks)).toBeLessThan(hotFileAgeMs + 20);
  });
});
