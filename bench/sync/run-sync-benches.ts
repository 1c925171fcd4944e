import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conditions, machine } from '../support/machine.ts';
import { table, type Result } from '../support/result.ts';
import { makeBed } from './bed.ts';
import type { SyncBench } from './bench.ts';
import { openLargePair, type LargePair } from './large-pair.ts';
import { devspaceTool, slipwayTool } from './tool.ts';

const document = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const marks = { begin: '<!-- sync: written by the benchmark -->', end: '<!-- sync: end -->' };
/** Longest run of one benchmark. */
const benchMs = 6 * 60_000;

export interface SyncRun {
  readonly benches: readonly SyncBench[];
  readonly rounds: number;
  /** DevSpace's program. */
  readonly devspace: string | undefined;
  readonly profile: string | undefined;
  /** Put the table into the document. */
  readonly write: boolean;
  readonly stop: AbortSignal;
}

/** Measures the sync row by row; resolves with the exit code. */
export async function runSyncBenches(options: SyncRun): Promise<number> {
  const { devspace, rounds, profile, stop } = options;
  await using bed = await makeBed();
  let large: Promise<LargePair> | undefined;
  await using later = new AsyncDisposableStack();
  later.defer(() => closeLarge());
  const closeLarge = async (): Promise<void> => {
    const open = large;
    large = undefined;
    await (await open)?.[Symbol.asyncDispose]();
  };
  const head = `Measured on ${machine()}.`;
  console.log(`${head}\n`);
  const results: Result[] = [];
  let failed = 0;
  for (const [index, bench] of options.benches.entries()) {
    if (stop.aborted) break;
    const began = performance.now();
    process.stderr.write(`${bench.name}: ${conditions()}\n`);
    try {
      const told = await bench.run({
        ...{ bed, rounds, profile },
        tools: [slipwayTool, ...(devspace === undefined ? [] : [devspaceTool(devspace)])],
        large: () => (large ??= openLargePair(bed)),
        signal: AbortSignal.any([stop, AbortSignal.timeout(benchMs)]),
      });
      results.push(...told);
      process.stderr.write(`${table(told)}\n${Math.round((performance.now() - began) / 1000)} s\n`);
    } catch (error) {
      failed += 1;
      process.stderr.write(
        `${bench.name} failed: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`,
      );
    }
    // It is a burden to whatever is measured after those that need it.
    if (!options.benches.slice(index + 1).some(({ usesLarge }) => usesLarge === true)) await closeLarge();
  }
  console.log(table(results));
  if (options.write && failed === 0 && !stop.aborted) writeDocument(`${head}\n\n${table(results)}`);
  return failed === 0 ? 0 : 1;
}

function writeDocument(text: string): void {
  const old = readFileSync(document, 'utf8');
  const [begin, end] = [old.indexOf(marks.begin), old.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`${document} has no place for the table of the sync`);
  writeFileSync(document, `${old.slice(0, begin)}${marks.begin}\n${text}\n${old.slice(end)}`);
}
