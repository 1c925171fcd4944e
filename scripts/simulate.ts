import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { keptSeeds } from '../main/sync/simulation/kept-seeds.fixture.ts';
import { runHistory } from '../main/sync/simulation/history.fixture.ts';

/**
 * Runs histories of the sync from seeds: `npm run simulate -- --seeds N [--first N] [--jobs N]`, or one of them told
 * step by step with `--trace`. Ends with 1 when one went wrong, and with the command that runs it again.
 */

/** Seeds that a worker gets at a time. */
const portion = 50;
/** Failing seeds after which it ends. */
const failureLimit = 60;

const usage = `Usage: npm run simulate -- [--seeds N] [--first N] [--jobs N] [--kept] [--trace]
  --seeds N  how many histories (2000)
  --first N  seed of the first one (1)
  --jobs N   how many at once (one per core)
  --kept     those that once went wrong, before the others
  --trace    tell what happens in the first one, step by step`;

interface Failure {
  readonly seed: number;
  readonly wrongs: readonly string[];
}

function count(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is not a number.\n${usage}`);
  return value;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      first: { type: 'string' },
      jobs: { type: 'string' },
      kept: { type: 'boolean' },
      trace: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const first = count(values.first, 1);
  if (values.trace === true) {
    const wrongs = await runHistory(first, (line) => console.log(line));
    for (const wrong of wrongs) console.log(`WRONG ${wrong}`);
    return wrongs.length === 0 ? 0 : 1;
  }
  const seeds = Array.from({ length: count(values.seeds, 2000) }, (_, index) => first + index);
  if (values.kept === true) seeds.unshift(...keptSeeds.map(({ seed }) => seed));
  const began = performance.now();
  const failures = await runAll(seeds, Math.max(1, count(values.jobs, availableParallelism())));
  const seconds = (performance.now() - began) / 1000;
  console.log(`${seeds.length} histories in ${seconds.toFixed(0)} s, ${failures} of them went wrong`);
  return failures === 0 ? 0 : 1;
}

/** Spreads the seeds over workers; tells each failure as it comes. Gives how many there were. */
async function runAll(seeds: readonly number[], jobs: number): Promise<number> {
  let next = 0;
  let failures = 0;
  const began = performance.now();
  let told = began;
  const take = (): readonly number[] => {
    const taken = failures >= failureLimit ? [] : seeds.slice(next, next + portion);
    next += taken.length;
    return taken;
  };
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('simulate.worker.ts', import.meta.url));
      const give = (): void => {
        const taken = take();
        if (taken.length > 0) return worker.postMessage(taken);
        void worker.terminate();
        resolve();
      };
      worker.on('error', reject);
      worker.on('message', (found: readonly Failure[]) => {
        for (const { seed, wrongs } of found) {
          failures++;
          console.log(`seed ${seed}: ${wrongs.join('\n  ')}`);
          console.log(`  npm run simulate -- --first ${seed} --trace`);
        }
        const now = performance.now();
        if (now - told > 10_000) {
          told = now;
          console.log(`${next} of ${seeds.length}, ${((next / (now - began)) * 1000).toFixed(0)} per second`);
        }
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: jobs }, work));
  return failures;
}

process.exitCode = await main();
