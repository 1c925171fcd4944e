import { conditions } from '../support/machine.ts';
import { median, percentile } from '../support/statistics.ts';
import { editsPerRound, type SyncBench } from './bench.ts';
import { chooser, edit, gap } from './edits.ts';
import { interleave, type AsyncStep } from './rounds.ts';
import { spread } from './told.ts';
import { slipwayTool } from './tool.ts';
import { manyFiles, writeFiles } from './trees.ts';

const goal = 1.5;
const smallTree = { count: 1000, bytes: 1024 * 1024 };

/** Whether an edit takes longer among 100,000 files than among 1,000. */
export const treeSize: SyncBench = {
  name: 'tree-size',
  usesLarge: true,
  async run({ bed, rounds, large, signal }) {
    await using stack = new AsyncDisposableStack();
    const files = manyFiles(smallTree);
    const { pair: largePair, files: largeFiles } = await large();
    const pair = stack.use(bed.pair('small'));
    writeFiles(pair.local, files);
    stack.use(await slipwayTool.open(bed, pair));
    const before = conditions();
    const chooseSmall = chooser(files);
    const chooseLarge = chooser(largeFiles);
    const spaced =
      (step: AsyncStep): AsyncStep =>
      async (aborted) => {
        await gap(aborted);
        return step(aborted);
      };
    const samples = await interleave(
      {
        small: spaced((aborted) => edit(pair.local, pair.there, chooseSmall(), aborted)),
        large: spaced((aborted) => edit(largePair.local, largePair.there, chooseLarge(), aborted)),
        smallDown: spaced((aborted) => edit(pair.there, pair.local, chooseSmall(), aborted)),
        largeDown: spaced((aborted) => edit(largePair.there, largePair.local, chooseLarge(), aborted)),
      },
      Math.ceil((rounds * editsPerRound) / 2),
      signal,
    );
    const result = (what: string, big: readonly number[], small: readonly number[]) => {
      const [middle, late] = [0.5, 0.95].map((share) => percentile(big, share) / percentile(small, share));
      return {
        what: `4 KiB edit ${what}, 100,000 files against 1,000`,
        goal: `≤ ${goal} times`,
        measured: `median ${middle?.toFixed(2)} times, p95 ${late?.toFixed(2)} times: ${spread(big)}`,
        against: `1,000 files: ${spread(small)}`,
        devspace: 'grows',
        met: median(big) / median(small) <= goal,
        conditions: before,
      };
    };
    return [result('up', samples.large, samples.small), result('down', samples.largeDown, samples.smallDown)];
  },
};
