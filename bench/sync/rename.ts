import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { conditions } from '../support/machine.ts';
import { median } from '../support/statistics.ts';
import { until } from './arrival.ts';
import type { SyncBench } from './bench.ts';
import { monotonicMs } from './clock.ts';
import { ProcessorTime } from './processor.ts';
import { profiled } from './profiled.ts';
import { rawUp } from './raw-pipe.ts';
import { interleave, type AsyncStep } from './rounds.ts';
import { noSamples, timeResult } from './told.ts';
import { manyFiles, writeFiles } from './trees.ts';

const renamed = { count: 10_000, bytes: 10_000 * 4096, seed: 4 };
const beside = { count: 2000, bytes: 2000 * 1024, below: 'beside/' };
const goals = { ms: 800, sentBytes: 1024 * 1024 };

/** A folder of 10,000 files gets another name: nothing of it should travel. */
export const rename: SyncBench = {
  name: 'rename',
  async run({ bed, tools, rounds, profile, signal }) {
    await using stack = new AsyncDisposableStack();
    const files = manyFiles(renamed);
    const rawPair = stack.use(bed.pair('raw'));
    writeFiles(rawPair.local, files);
    const before = conditions();
    const sent: number[] = [];
    const used = new ProcessorTime();
    const steps: Partial<Record<'slipway' | 'raw' | 'devspace', AsyncStep>> = {
      raw: () => rawUp(bed, rawPair.local, rawPair.remote),
    };
    for (const tool of tools) {
      const pair = stack.use(bed.pair(tool.name));
      writeFiles(pair.local, manyFiles(beside));
      writeFiles(join(pair.local, 'name-0'), files);
      const open = stack.use(await tool.open(bed, pair));
      const { engine } = open;
      let number = 0;
      steps[tool.name] = async (aborted) => {
        await using _ = await profiled(open, profile, 'rename');
        const [old, next] = [`name-${number}`, `name-${++number}`];
        const sentBefore = (await engine?.ask<number>({ kind: 'sent' })) ?? 0;
        return used.during(bed, open, async () => {
          const start = monotonicMs();
          renameSync(join(pair.local, old), join(pair.local, next));
          const whole = (): boolean =>
            !existsSync(join(pair.there, old)) && count(join(pair.there, next)) === files.length;
          const ms = (await until('the folder under its new name', whole, aborted)) - start;
          if (engine !== undefined) sent.push((await engine.ask<number>({ kind: 'sent' })) - sentBefore);
          for (const { path, content } of files) {
            if (!readFileSync(join(pair.there, next, path)).equals(content))
              throw new Error(`${path} differs`);
          }
          return ms;
        });
      };
    }
    const samples = { ...noSamples(), ...(await interleave(steps, rounds, signal)) };
    const bytes = median(sent);
    return [
      timeResult({
        what: '10,000-file folder renamed: all there under the new name',
        goal: '≤ 800 ms, ≤ 1 MiB sent',
        samples,
        raw: 'raw tar of it',
        known: 'all sent again',
        note: `${(bytes / 1024).toFixed(0)} KiB sent; ${used.text}`,
        met: median(samples.slipway) <= goals.ms && bytes <= goals.sentBytes,
        conditions: before,
      }),
    ];
  },
};

function count(folder: string): number {
  let files = 0;
  try {
    for (const area of readdirSync(folder))
      for (const part of readdirSync(join(folder, area)))
        files += readdirSync(join(folder, area, part)).length;
  } catch {
    return -1; // not there yet, or still moving
  }
  return files;
}
