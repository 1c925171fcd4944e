import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { isLeftBehind, leftBehindMs, lockPatienceMs, withFileLock } from './file-lock.ts';
import type { ProcessMarks } from './process-marks.ts';

const processes: ProcessMarks = { own: 'own', hasEnded: (mark) => mark === 'ended' };
const held = (mark: string): string => JSON.stringify({ token: 'x', pid: 7, host: 'elsewhere', mark });

describe('a lock that is there', () => {
  it.each([
    ['of a process that has ended', held('ended'), 0, 0, true],
    ['of a process that may run', held('runs'), 1_000, 1_000, false],
    ['that is old and stays the same', held('runs'), leftBehindMs + 1, 1_000, true],
    ['that is old since the machine was asleep', held('runs'), leftBehindMs + 1, 10, false],
    ['that is being written', '', 5, 5, false],
    ['that was never written to its end', '{"tok', leftBehindMs + 1, 1_000, true],
    ['that is no object', 'null', 5, 5, false],
  ])('%s: is left behind %s', (_name, text, ageMs, watchedMs, left) => {
    expect(isLeftBehind({ text, ageMs, watchedMs }, processes)).toBe(left);
  });
});

describe('work under a lock', () => {
  let folder = '';
  let path = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-lock-'));
    path = join(folder, 'deep', 'settings.json.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const locked = <Result>(action: () => Promise<Result>): Promise<Result> =>
    withFileLock({ path, what: 'The settings', clock: systemClock, processes }, action);

  it('is done by one at a time, and leaves nothing', async () => {
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await systemClock.sleep(2);
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => locked(work)));
    expect(most).toBe(1);
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  });

  it('frees the lock also when it fails', async () => {
    await expect(locked(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await locked(async () => 'done')).toBe('done');
  });

  it('takes the lock of a process that has ended, once, however many want it', async () => {
    await locked(async () => undefined);
    writeFileSync(path, held('ended'));
    let running = 0;
    const work = async (): Promise<void> => {
      expect(++running).toBe(1);
      await systemClock.sleep(1);
      running--;
    };
    await Promise.all(Array.from({ length: 10 }, () => locked(work)));
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  });

  it('takes an old lock after it was watched for a while', async () => {
    await locked(async () => undefined);
    for (const file of [path, `${path}.taking`]) {
      writeFileSync(file, held('runs'));
      utimesSync(file, 1_000_000, 1_000_000);
    }
    expect(await locked(async () => 'done')).toBe('done');
  });

  it('is refused with who holds it when that takes too long, and leaves it alone', async () => {
    await locked(async () => undefined);
    writeFileSync(path, held('runs'));
    const begun = Date.now();
    await expect(locked(async () => 'done')).rejects.toMatchObject({
      code: 'disk.state-locked',
      causeText: expect.stringContaining('Process 7 on elsewhere') as string,
    });
    expect(Date.now() - begun).toBeLessThan(lockPatienceMs + 2_000);
    expect(readFileSync(path, 'utf8')).toBe(held('runs'));
  });

  it('does not free a lock that somebody else has by then', async () => {
    await locked(async () => writeFileSync(path, held('runs')));
    expect(existsSync(path)).toBe(true);
  });
});
