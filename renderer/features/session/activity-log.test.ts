import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../contract/sessions.ts';
import { ActivityLog, shownActivity, type ShownActivity } from './activity-log.ts';

const file = (path: string): Activity => ({ at: 0, path, direction: 'up', action: 'update', bytes: 1 });

const listed = ({ count, at }: ShownActivity) => Array.from({ length: count }, (_, index) => at(index)?.path);

describe('the log of files that travelled', () => {
  it('tells once per frame, however much comes', () => {
    const frames: (() => void)[] = [];
    const log = new ActivityLog((callback) => frames.push(callback));
    let told = 0;
    log.subscribe(() => told++);
    for (let batch = 0; batch < 100; batch++) log.add({ items: [file('a'), file('b')], skipped: 0 });
    expect([frames.length, told]).toEqual([1, 0]);
    frames[0]?.();
    expect([told, log.items.length]).toEqual([1, 200]);
  });

  it('keeps the latest and counts on', () => {
    const log = new ActivityLog(() => 0);
    for (let batch = 0; batch < 70; batch++)
      log.add({ items: Array.from({ length: 1000 }, (_, index) => file(`${batch}/${index}`)), skipped: 2 });
    expect(log.items.length).toBeLessThanOrEqual(6000);
    expect(log.items.at(-1)).toMatchObject({ path: '69/999', number: 69_999 });
    expect([log.end, log.skipped]).toEqual([70_000, 140]);
  });

  it('shows the newest first, not what came after a pause, and what matches', () => {
    const log = new ActivityLog(() => 0);
    log.add({ items: [file('src/a.ts'), file('src/b.ts'), file('docs/a.md'), file('src/c.ts')], skipped: 0 });
    const paths = (before: number, search: string) => listed(shownActivity(log.items, { before, search }));
    expect(paths(Infinity, '')).toEqual(['src/c.ts', 'docs/a.md', 'src/b.ts', 'src/a.ts']);
    expect(paths(3, '')).toEqual(['docs/a.md', 'src/b.ts', 'src/a.ts']);
    expect(paths(Infinity, ' A. ')).toEqual(['docs/a.md', 'src/a.ts']);
  });
});
