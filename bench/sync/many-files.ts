import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { median } from '../support/statistics.ts';
import { allArrive, until } from './arrival.ts';
import type { SyncBench } from './bench.ts';
import { monotonicMs } from './clock.ts';
import { ProcessorTime } from './processor.ts';
import { profiled } from './profiled.ts';
import { RawShell, rawDown, rawUp } from './raw-pipe.ts';
import { interleave, type AsyncStep } from './rounds.ts';
import { duration, noSamples, timeResult } from './told.ts';
import { manyFiles, rewritten, writeFiles, type ExpectedFile } from './trees.ts';

const count = 5000;
const changed = { count, bytes: count * 4096, below: 'changed/', seed: 2 };
/** So many files lie beside them that the brake on mass deletions does not hold what is done here. */
const beside = { count: 12_000, bytes: 12_000 * 1024, below: 'beside/' };
const goals = { rewrite: 1000, made: 1000, deleted: 300 };
/** Deletions of the last seconds count together for the brake. */
const brakeMs = 10_500;

type Steps = Partial<Record<'slipway' | 'raw' | 'devspace', AsyncStep>>;

/** 5,000 files at once: rewritten here, made in the container, deleted here. */
export const manyAtOnce: SyncBench = {
  name: 'many-files',
  async run({ bed, tools, rounds, profile, signal }) {
    await using stack = new AsyncDisposableStack();
    const files = manyFiles(changed);
    const rawPair = stack.use(bed.pair('raw'));
    const shell = stack.use(await RawShell.open(bed));
    writeFiles(rawPair.local, files);
    await rawUp(bed, rawPair.local, rawPair.remote);
    const before = conditions();
    const used = { rewrite: new ProcessorTime(), made: new ProcessorTime(), deleted: new ProcessorTime() };
    let version = 0;
    const writing: number[] = [];
    const rewrite: Steps = {
      raw: async () => {
        const start = monotonicMs();
        writeFiles(rawPair.local, rewritten(files, ++version));
        writing.push(monotonicMs() - start);
        return monotonicMs() - start + (await rawUp(bed, rawPair.local, rawPair.remote));
      },
    };
    const made: Steps = {
      raw: async () => {
        const target = bed.scratch('down');
        const start = monotonicMs();
        writeFiles(rawPair.there, rewritten(files, ++version));
        const wrote = monotonicMs() - start;
        const ms = wrote + (await rawDown(bed, rawPair.remote, target));
        rmSync(target, { recursive: true });
        return ms;
      },
    };
    const removing: number[] = [];
    const deleted: Steps = {
      raw: async () => {
        writeFiles(rawPair.local, files);
        writeFiles(rawPair.there, files);
        const start = monotonicMs();
        rmSync(join(rawPair.local, 'changed'), { recursive: true });
        removing.push(monotonicMs() - start);
        await shell.run(`rm -rf '${rawPair.remote}/changed'`);
        return monotonicMs() - start;
      },
    };
    for (const tool of tools) {
      const pair = stack.use(bed.pair(tool.name));
      writeFiles(pair.local, manyFiles(beside));
      writeFiles(pair.local, files);
      const open = stack.use(await tool.open(bed, pair));
      const travel = async (
        from: string,
        to: string,
        next: readonly ExpectedFile[],
        aborted: AbortSignal,
      ) => {
        const arriving = allArrive(to, next);
        const start = monotonicMs();
        writeFiles(from, next);
        return (await arriving(aborted)) - start;
      };
      rewrite[tool.name] = async (aborted) => {
        await using _ = await profiled(open, profile, 'rewrite');
        return used.rewrite.during(bed, open, () =>
          travel(pair.local, pair.there, rewritten(files, ++version), aborted),
        );
      };
      made[tool.name] = async (aborted) => {
        version++;
        await using _ = await profiled(open, profile, 'made');
        const next = rewritten(files, version).map((file) => ({
          ...file,
          path: `made-${version}/${file.path}`,
        }));
        return used.made.during(bed, open, () => travel(pair.there, pair.local, next, aborted));
      };
      deleted[tool.name] = async (aborted) => {
        if (!existsSync(join(pair.there, 'changed')))
          await travel(pair.local, pair.there, rewritten(files, ++version), aborted);
        await sleep(brakeMs, undefined, { signal: aborted });
        await using _ = await profiled(open, profile, 'deleted');
        return used.deleted.during(bed, open, async () => {
          const start = monotonicMs();
          rmSync(join(pair.local, 'changed'), { recursive: true });
          const gone = () => !existsSync(join(pair.there, 'changed'));
          return (await until('the folder to go', gone, aborted)) - start;
        });
      };
    }
    const results: Result[] = [];
    const measure = async (
      steps: Steps,
      goal: number,
      what: string,
      raw: string,
      known: string,
      note: () => string,
    ) => {
      const samples = { ...noSamples(), ...(await interleave(steps, rounds, signal)) };
      results.push(
        timeResult({
          what,
          goal: `≤ ${duration(goal)}`,
          ...{ samples, raw, known, note: note(), conditions: before },
          met: median(samples.slipway) <= goal,
        }),
      );
    };
    const written = () => `writing them ${duration(median(writing))} of it`;
    await measure(
      rewrite,
      goals.rewrite,
      '5,000 files (20 MB) rewritten at once: all there',
      'raw tar after writing them',
      '3.35 s',
      () => `${written()}; ${used.rewrite.text}`,
    );
    await measure(
      made,
      goals.made,
      '5,000 new files (20 MB) in the container: all here',
      'raw tar after writing them',
      '2.45 s',
      () => `${written()}; ${used.made.text}`,
    );
    await measure(
      deleted,
      goals.deleted,
      '5,000-file folder deleted here: gone there',
      '`rm -rf` here, then in an open exec',
      '1.28 s',
      () => `deleting it here ${duration(median(removing))} of it; ${used.deleted.text}`,
    );
    return results;
  },
};
