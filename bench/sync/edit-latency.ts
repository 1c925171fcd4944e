import { conditions } from '../support/machine.ts';
import { median, percentile } from '../support/statistics.ts';
import type { Result } from '../support/result.ts';
import { editsPerRound, type SyncBench, type SyncContext } from './bench.ts';
import { chooser, edit, gap, rawDownEdits, rawUpEdits } from './edits.ts';
import { profiled } from './profiled.ts';
import { interleave, type AsyncStep } from './rounds.ts';
import { noSamples, timeResult } from './told.ts';
import { manyFiles, writeFiles } from './trees.ts';

const goals = { up: { p50: 20, p95: 60 }, down: { p50: 30, p95: 100 } };
const known = { up: '871 / 1177 ms', down: '1103 / 1207 ms' };
const smallTree = { count: 1000, bytes: 10 * 1024 * 1024 };

/** How long one saved file of 4 KiB takes to the other side. */
export const editLatency: SyncBench = {
  name: 'edit',
  run: async (context) => [await measure(context, 'up'), await measure(context, 'down')],
};

async function measure(
  { bed, tools, rounds, profile, signal }: SyncContext,
  direction: 'up' | 'down',
): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const files = manyFiles(smallTree);
  const choose = chooser(files);
  const rawPair = stack.use(bed.pair('raw'));
  const raw = stack.use(await (direction === 'up' ? rawUpEdits : rawDownEdits)(bed, rawPair));
  const before = conditions();
  const spaced =
    (step: AsyncStep): AsyncStep =>
    async (aborted) => {
      await gap(aborted);
      return step(aborted);
    };
  const steps: Partial<Record<'slipway' | 'raw' | 'devspace', AsyncStep>> = { raw: spaced(raw.step) };
  for (const tool of tools) {
    const pair = stack.use(bed.pair(tool.name));
    writeFiles(pair.local, files);
    const open = stack.use(await tool.open(bed, pair));
    stack.use(await profiled(open, profile, `edit-${direction}`));
    const [from, to] = direction === 'up' ? [pair.local, pair.there] : [pair.there, pair.local];
    steps[tool.name] = spaced((aborted) => edit(from, to, choose(), aborted));
  }
  const samples = { ...noSamples(), ...(await interleave(steps, rounds * editsPerRound, signal)) };
  const goal = goals[direction];
  const { slipway } = samples;
  return timeResult({
    what: `4 KiB edit ${direction}, 1,000 files`,
    goal: `p50 ${goal.p50} / p95 ${goal.p95} ms`,
    samples,
    raw: 'raw tar in an open exec',
    known: known[direction],
    met: median(slipway) <= goal.p50 && percentile(slipway, 0.95) <= goal.p95,
    conditions: before,
  });
}
