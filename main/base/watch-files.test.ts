import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from './clock.ts';
import { sweepMs, watchFiles } from './watch-files.ts';

/** The real clock with short pauses between sweeps. */
const clock: Clock = {
  ...systemClock,
  timer: (milliseconds, callback) => systemClock.timer(milliseconds === sweepMs ? 50 : 20, callback),
};

describe('watched files', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-watch-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('tell when one is made, written, replaced and removed, also in a folder that is made later', async () => {
    const path = join(folder, 'a', 'config');
    let told = 0;
    await using watching = watchFiles({ paths: [path], clock, onChange: () => (told += 1) });
    expect(watching).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toBe(0);
    const steps = [
      () => mkdirSync(join(folder, 'a')),
      () => writeFileSync(path, 'one'),
      () => writeFileSync(path, 'two, longer'),
      () => {
        writeFileSync(join(folder, 'a', 'new'), 'three');
        renameSync(join(folder, 'a', 'new'), path);
      },
      () => rmSync(path),
    ];
    steps[0]?.();
    for (const step of steps.slice(1)) {
      const before = told;
      step();
      await expect.poll(() => told).toBeGreaterThan(before);
      // What one step tells a second time is not the next one's.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  });

  it('tell nothing after the end', async () => {
    const path = join(folder, 'config');
    let told = 0;
    await watchFiles({ paths: [path], clock, onChange: () => (told += 1) })[Symbol.asyncDispose]();
    writeFileSync(path, 'late');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(told).toBe(0);
  });
});
