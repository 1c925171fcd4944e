import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../base/clock.ts';
import { DiskService } from './disk-service.ts';

describe('a disk service', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-disk-'));
    writeFileSync(join(folder, 'a'), 'a');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets its thread go when nothing was asked for a while, and answers all the same afterwards', async () => {
    let due: (() => void) | undefined;
    const clock: Clock = {
      ...systemClock,
      timer: (_, callback) => {
        due = callback;
        return { [Symbol.dispose]: () => (due = undefined) };
      },
    };
    await using service = new DiskService(clock);
    const scan = async () => [...(await service.scan(folder, '', {})).entries.keys()];
    expect(await scan()).toEqual(['a']);
    due?.();
    expect(service.isRunning).toBe(false);
    const again = scan();
    expect(await again).toEqual(['a']);
    const third = scan();
    // Work came before the pause was over: its timer is gone.
    expect(due).toBeUndefined();
    expect(await third).toEqual(['a']);
    expect(service.isRunning).toBe(true);
  });
});
