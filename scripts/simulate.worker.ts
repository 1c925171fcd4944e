import { parentPort } from 'node:worker_threads';
import { runHistory } from '../main/sync/simulation/history.fixture.ts';

parentPort?.on('message', (seeds: readonly number[]) => void run(seeds));

async function run(seeds: readonly number[]): Promise<void> {
  const failures: { seed: number; wrongs: readonly string[] }[] = [];
  for (const seed of seeds) {
    const wrongs = await runHistory(seed);
    if (wrongs.length > 0) failures.push({ seed, wrongs });
  }
  parentPort?.postMessage(failures);
}
