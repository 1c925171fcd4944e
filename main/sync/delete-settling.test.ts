import { describe, expect, it } from 'vitest';
import { DeleteSettling, RecentDeletions, brakeWindowMs, massWaitLimitMs } from './delete-settling.ts';

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `f${from + index}`);

describe('deletions', () => {
  it('of a few files go after a short quiet', () => {
    const settling = new DeleteSettling();
    settling.see(['a'], 0);
    expect([settling.settled(49), settling.settled(50)]).toEqual([false, true]);
  });

  it('of a few files that go on and on do not wait for ever', () => {
    const settling = new DeleteSettling();
    for (let now = 0; now < 1000; now += 60) settling.see([`f${now}`], now);
    expect(settling.settled(1000)).toBe(true);
  });

  it('of many files wait until the removal has come to its end', () => {
    const settling = new DeleteSettling();
    for (let now = 0; now < 5000; now += 150) settling.see(names(now, now + 20), now);
    expect(settling.settled(5000)).toBe(false);
    expect(settling.settled(5200)).toBe(true);
  });
});

describe('many deletions beside which something new comes up', () => {
  it('wait for the other end of what may be a move, for a bounded time', () => {
    const settling = new DeleteSettling();
    settling.see(names(0, 30), 0);
    settling.stir(150);
    expect([settling.settled(349), settling.settled(350)]).toEqual([false, true]);
    for (let now = 150; now < massWaitLimitMs; now += 150) settling.stir(now);
    expect([settling.settled(massWaitLimitMs - 1), settling.settled(massWaitLimitMs)]).toEqual([false, true]);
  });
  it('do not wait when they are few', () => {
    const settling = new DeleteSettling();
    settling.see(['a'], 0);
    settling.stir(40);
    expect(settling.settled(50)).toBe(true);
  });
});

describe('deletions of a folder', () => {
  const below = names(0, 5000).map((name) => `folder/${name}`);

  it('with everything in it are at their end when the folder itself went', () => {
    const settling = new DeleteSettling();
    settling.see(below, 0);
    expect(settling.settled(199)).toBe(false);
    settling.see([...below, 'folder'], 150);
    expect([settling.settled(199), settling.settled(200)]).toEqual([false, true]);
  });

  it('are still under way when it held much of what is there: the root may be being emptied', () => {
    const settling = new DeleteSettling();
    settling.see([...below, 'folder'], 0, 15_000);
    expect([settling.settled(199), settling.settled(200)]).toEqual([false, true]);
    settling.reset();
    settling.see([...below, 'folder'], 0, 15_003);
    expect([settling.settled(49), settling.settled(50)]).toEqual([false, true]);
  });

  it('are still under way when much else goes beside it', () => {
    const settling = new DeleteSettling();
    settling.see([...below, 'folder', ...names(0, 30)], 0);
    expect([settling.settled(199), settling.settled(200)]).toEqual([false, true]);
  });

  it('are forgotten with what was taken back', () => {
    const settling = new DeleteSettling();
    settling.see(names(0, 30), 0);
    settling.reset();
    settling.see(['folder', 'folder/a'], 0);
    expect(settling.settled(50)).toBe(true);
  });
});

describe('recent deletions', () => {
  it('count nothing that came back, as between two branches that are checked out in turn', () => {
    const recent = new RecentDeletions();
    recent.note(['a', 'b', 'c'], 0);
    expect(recent.besides(new Set(), 1000, (path) => path !== 'c')).toBe(1);
    expect(recent.besides(new Set(), 1000)).toBe(1);
  });
  it('count each path once, besides those asked about, within the window', () => {
    const recent = new RecentDeletions();
    recent.note(['a', 'b'], 0);
    recent.note(['b', 'c'], 1000);
    expect(recent.besides(new Set(['c']), 1000)).toBe(2);
    expect(recent.besides(new Set(), brakeWindowMs + 1)).toBe(2);
    expect(recent.besides(new Set(), brakeWindowMs + 1001)).toBe(0);
  });
});
