import { describe, expect, it } from 'vitest';
import { DetachedWatch } from './detached-watch.ts';

const tabs = [{ tab: 'a', lock: 'lock a' }];
const held = new Set(['lock a', 'another']);
const none = new Set<string>();

describe('a detached tab', () => {
  it('comes back when its window was there and is not any more', () => {
    const watch = new DetachedWatch([], 0);
    const looks = [held, held, none, none].map((now, index) => watch.look(tabs, now, index * 500));
    expect(looks).toEqual([[], [], [], ['a']]);
  });

  it('stays away while its window is loaded anew', () => {
    const watch = new DetachedWatch([], 0);
    const looks = [held, none, held, none, held].map((now, index) => watch.look(tabs, now, index * 500));
    expect(looks.flat()).toEqual([]);
  });

  it('waits for its window to open, but not for ever', () => {
    const watch = new DetachedWatch([], 0);
    expect([0, 1000, 14_000].flatMap((at) => watch.look(tabs, none, at))).toEqual([]);
    expect(watch.look(tabs, none, 16_000)).toEqual(['a']);
  });

  it('of before a reload comes back soon when its window was closed meanwhile', () => {
    const watch = new DetachedWatch(['a'], 0);
    expect([0, 500].map((at) => watch.look(tabs, none, at))).toEqual([[], ['a']]);
  });

  it('is forgotten when it is shown again, and waited for anew the next time', () => {
    const watch = new DetachedWatch(['a'], 0);
    watch.look([], none, 0);
    expect([1000, 2000, 3000].flatMap((at) => watch.look(tabs, none, at))).toEqual([]);
  });

  it('that is of nothing any more is not kept', () => {
    expect(new DetachedWatch([], 0).look([{ tab: 'a', lock: undefined }], held, 0)).toEqual(['a']);
  });
});
