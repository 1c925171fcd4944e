import { rmSync } from 'node:fs';
import { conditions } from '../support/machine.ts';
import { median } from '../support/statistics.ts';
import { allArrive } from './arrival.ts';
import type { SyncBench } from './bench.ts';
import { helperUse } from './helper-processes.ts';
import { ProcessorTime } from './processor.ts';
import { rawUp } from './raw-pipe.ts';
import { interleave, type AsyncStep } from './rounds.ts';
import { duration, noSamples, timeResult } from './told.ts';
import { manyFiles, writeFiles } from './trees.ts';

const tree = { count: 20_000, bytes: 83_000_000 };
const firstGoal = 1.15;
const restartGoalMs = 600;

/** The first sync of 20,000 files, and how long it takes to see at a restart that nothing changed. */
export const firstSync: SyncBench = {
  name: 'first-sync',
  async run({ bed, tools, rounds, profile, signal }) {
    await using stack = new AsyncDisposableStack();
    const files = manyFiles(tree);
    const rawPair = stack.use(bed.pair('raw'));
    writeFiles(rawPair.local, files);
    const before = conditions();
    const restarts = noSamples();
    const connects: number[] = [];
    const [first, again] = [new ProcessorTime(), new ProcessorTime()];
    const steps: Partial<Record<'slipway' | 'raw' | 'devspace', AsyncStep>> = {
      raw: async () => {
        rmSync(rawPair.there, { recursive: true, force: true });
        return rawUp(bed, rawPair.local, rawPair.remote);
      },
    };
    for (const tool of tools) {
      const pair = stack.use(bed.pair(tool.name));
      writeFiles(pair.local, files);
      steps[tool.name] = async (aborted) => {
        pair.forget();
        const arriving = allArrive(pair.there, files)(aborted);
        arriving.catch(() => undefined);
        let firstMs: number;
        {
          const environment = process.env['NODE_OPTIONS'];
          if (profile !== undefined && tool.name === 'slipway')
            process.env['NODE_OPTIONS'] = `--cpu-prof --cpu-prof-dir=${profile}`;
          await using open = await tool.open(bed, pair);
          if (environment === undefined) delete process.env['NODE_OPTIONS'];
          else process.env['NODE_OPTIONS'] = environment;
          const { begun, connecting, attached, cpuMs } = open.times;
          firstMs = (await arriving) - attached + (connecting - begun);
          if (tool.name === 'slipway') first.add(cpuMs, helperUse(bed).cpuMs);
        }
        await using reopened = await tool.open(bed, pair);
        const { begun, connecting, attached, inSync, cpuMs } = reopened.times;
        restarts[tool.name].push(inSync - attached + (connecting - begun));
        if (tool.name === 'slipway') {
          connects.push(attached - connecting);
          again.add(cpuMs, helperUse(bed).cpuMs);
        }
        return firstMs;
      };
    }
    const samples = { ...noSamples(), ...(await interleave(steps, Math.max(2, rounds - 2), signal)) };
    restarts.raw.push(...samples.raw);
    return [
      timeResult({
        what: 'first sync of 20,000 files, 83 MB, connected: all there',
        goal: `≤ ${firstGoal} times a raw tar pipe`,
        samples,
        raw: 'raw tar',
        known: 'about 9 s',
        note: first.text,
        met: median(samples.slipway) / median(samples.raw) <= firstGoal,
        conditions: before,
      }),
      timeResult({
        what: 'restart, 20,000 files, nothing changed: in sync',
        goal: `≤ ${restartGoalMs} ms without connecting`,
        samples: restarts,
        raw: 'raw tar of everything',
        known: '3.8 s with connecting',
        note: `connecting and the helper ${duration(median(connects))}; ${again.text}`,
        met: median(restarts.slipway) <= restartGoalMs,
        conditions: before,
      }),
    ];
  },
};
