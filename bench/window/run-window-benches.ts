import { buildRenderer } from '../support/build.ts';
import { conditions, machine } from '../support/machine.ts';
import { table, type Result } from '../support/result.ts';
import type { Bench } from './bench.ts';
import { launchBrowser } from './browser.ts';

/** Longest run of one benchmark, its own duration aside. */
const benchMs = 15 * 60_000;

/** Measures the window, benchmark by benchmark; resolves with the exit code. */
export async function runWindowBenches(options: {
  readonly benches: readonly Bench[];
  readonly rounds: number;
  readonly minutes: number;
  readonly profile: string | undefined;
  readonly stop: AbortSignal;
}): Promise<number> {
  const { rounds, minutes, profile, stop } = options;
  await buildRenderer();
  await using browser = await launchBrowser();
  console.log(`Measured on ${machine(browser.version())}\n`);
  const results: Result[] = [];
  let failed = 0;
  for (const bench of options.benches) {
    if (stop.aborted) break;
    process.stderr.write(`${bench.name}: ${conditions()}\n`);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(benchMs + minutes * 60_000)]);
    try {
      const told = await bench.run({ browser, minutes, signal, profile, rounds });
      results.push(...told);
      process.stderr.write(`${table(told)}\n`);
    } catch (error) {
      failed += 1;
      process.stderr.write(
        `${bench.name} failed: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`,
      );
    }
  }
  console.log(table(results));
  return failed === 0 ? 0 : 1;
}
