// Benchmarks on the sandbox cluster:
// npm run bench -- window [name…] [--rounds N] [--minutes N] [--profile FOLDER]
// npm run bench -- sync [name…] [--rounds N] [--devspace PATH] [--profile FOLDER] [--write]
import { parseArgs } from 'node:util';
import { ensureUp, sandboxKubeconfigPath } from '../sandbox/client.ts';
import { runSyncBenches } from './sync/run-sync-benches.ts';
import { syncBenches } from './sync/sync-benches.ts';
import { runWindowBenches } from './window/run-window-benches.ts';
import { windowBenches } from './window/window-benches.ts';

const names = (benches: readonly { readonly name: string }[]): string =>
  benches.map(({ name }) => name).join(' ');
const usage = `usage: npm run bench -- window [name…] [--rounds N] [--minutes N] [--profile FOLDER]
       npm run bench -- sync [name…] [--rounds N] [--devspace PATH] [--profile FOLDER] [--write]
names of window: ${names(windowBenches)}
names of sync: ${names(syncBenches)}
all of them unless some are named
`;
const usualRounds = { window: 10, sync: 5 };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      profile: { type: 'string' },
      devspace: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [suite, ...wanted] = positionals;
  if (suite !== 'window' && suite !== 'sync') return refuse();
  const known: readonly { readonly name: string }[] = suite === 'window' ? windowBenches : syncBenches;
  if (wanted.some((name) => !known.some((bench) => bench.name === name))) return refuse();
  const isChosen = ({ name }: { readonly name: string }): boolean =>
    wanted.length === 0 || wanted.includes(name);
  await ensureUp();
  process.env['SLIPWAY_TEST_KUBECONFIG'] = sandboxKubeconfigPath();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const { profile, devspace, write } = values;
  const common = { rounds: Number(values.rounds ?? usualRounds[suite]), profile, stop: stop.signal };
  return suite === 'window'
    ? runWindowBenches({
        ...common,
        benches: windowBenches.filter(isChosen),
        minutes: Number(values.minutes),
      })
    : runSyncBenches({ ...common, benches: syncBenches.filter(isChosen), devspace, write });
}

function refuse(): number {
  process.stderr.write(usage);
  return 2;
}

process.exitCode = await main();
