import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import { openPair } from './open-pair.ts';

describe('a pair', () => {
  let base = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'slipway-pair-'));
    mkdirSync(join(base, 'local'));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  /** Opens it until its first connection, which is refused. */
  async function epochAt(now: number): Promise<number> {
    const epochs: number[] = [];
    const identity = {
      cluster: 'c',
      namespace: 'n',
      target: 't',
      container: 'c',
      remotePath: '/app',
      localPath: join(base, 'local'),
    };
    const pair = await openPair({
      identity,
      home: join(base, 'home'),
      files: diskAncestorFiles,
      clock: { ...systemClock, now: () => now },
      strategy: 'preferLocal',
      connect: ({ epoch }) => {
        epochs.push(epoch);
        throw new SlipwayError({ code: 'helper.lost', message: 'Refused.', cause: '', next: '' });
      },
    });
    await expect(pair.engine.inSync()).rejects.toThrow('Refused.');
    await pair[Symbol.asyncDispose]();
    return epochs[0] ?? Number.NaN;
  }

  it('uses a larger epoch at each start, also after the clock was set back', async () => {
    const first = await epochAt(2_000_000);
    const second = await epochAt(1_000);
    const third = await epochAt(3_000_000);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  });
});
