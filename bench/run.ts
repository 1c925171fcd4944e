// Benchmarks on the sandbox cluster: npm run bench -- window [name…] [--rounds N] [--minutes N] [--profile FOLDER]
import { parseArgs } from 'node:util';
import { ensureUp, sandboxKubeconfigPath } from '../sandbox/client.ts';
import { buildRenderer } from './support/build.ts';
import { conditions, machine } from './support/machine.ts';
import { table, type Result } from './support/result.ts';
import { launchBrowser } from './window/browser.ts';
import { windowBenches } from './window/window-benches.ts';

const usage = `usage: npm run bench -- window [name…] [--rounds N] [--minutes N] [--profile FOLDER]
names: ${windowBenches.map(({ name }) => name).join(' ')}; all of them unless some are named
`;
/** Longest run of one benchmark, its own duration aside. */
const benchMs = 15 * 60_000;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '10' },
      minutes: { type: 'string', default: '30' },
      profile: { type: 'string' },
    },
  });
  const [suite, ...names] = positionals;
  const chosen = windowBenches.filter(({ name }) => names.length === 0 || names.includes(name));
  if (suite !== 'window' || chosen.length < names.length) {
    process.stderr.write(usage);
    return 2;
  }
  await ensureUp();
  process.env['SLIPWAY_TEST_KUBECONFIG'] = sandboxKubeconfigPath();
  await buildRenderer();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  await using browser = await launchBrowser();
  const minutes = Number(values.minutes);
  console.log(`Measured on ${machine(browser.version())}\n`);
  const results: Result[] = [];
  let failed = 0;
  for (const bench of chosen) {
    if (stop.signal.aborted) break;
    process.stderr.write(`${bench.name}: ${conditions()}\n`);
    const bound = AbortSignal.timeout(benchMs + minutes * 60_000);
    const signal = AbortSignal.any([stop.signal, bound]);
    try {
      const told = await bench.run({
        ...{ browser, minutes, signal, profile: values.profile },
        rounds: Number(values.rounds),
      });
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

process.exitCode = await main();
