// npm run faults -- [F3 F17 …] [--keep] [--update]
// The faults of docs/faults.md on a cluster of their own, one after another. `--keep` leaves that cluster running for
// the next time, `--update` writes results and date into the table of docs/faults.md.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureUp, sandboxKubeconfigPath } from '../sandbox/client.ts';
import { findInstance } from '../sandbox/instance.ts';

const root = new URL('..', import.meta.url).pathname;
const folder = join(root, 'tests/faults');

interface Told {
  readonly name: string;
  readonly criterion?: string;
  readonly measured?: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false }, update: { type: 'boolean', default: false } },
});
process.env['SLIPWAY_SANDBOX'] ??= 'faults';
const sandbox = process.env['SLIPWAY_SANDBOX'];
const wasUp = findInstance(sandbox) !== undefined;
const scratch = mkdtempSync(join(tmpdir(), 'slipway-faults-'));
try {
  await ensureUp();
  process.exitCode = await runFaults(selectionOf(positionals));
} finally {
  rmSync(scratch, { recursive: true, force: true });
  if (!values.keep && !wasUp && sandbox !== 'default') await run(['sandbox/main.ts', 'down']);
}

/** What vitest has to be told to run the faults that were named; all of them when none is. */
function selectionOf(names: readonly string[]): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
  const numbers = names.map((name) => {
    const number = /^F?0*(\d+)$/i.exec(name)?.[1];
    const told = files.filter((file) =>
      readFileSync(join(folder, file), 'utf8')
        .match(/['`]F\d+ /g)
        ?.some((start) => start.slice(1) === `F${number ?? ''} `),
    );
    if (number === undefined || told.length === 0)
      throw new Error(`There is no test of ${name} in tests/faults.`);
    return { number, told };
  });
  if (numbers.length === 0) return ['tests/faults'];
  const pattern = `^(${numbers.map(({ number }) => `F${number}`).join('|')}) `;
  return [
    ...new Set(numbers.flatMap(({ told }) => told.map((file) => join('tests/faults', file)))),
    '-t',
    pattern,
  ];
}

async function runFaults(selection: readonly string[]): Promise<number> {
  const [told, report] = [join(scratch, 'told.jsonl'), join(scratch, 'report.json')];
  writeFileSync(told, '');
  const code = await run(
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', ...selection],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ],
    { SLIPWAY_TEST_KUBECONFIG: sandboxKubeconfigPath(), SLIPWAY_FAULTS_REPORT: told },
  );
  const lines = readFileSync(told, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Told);
  const results = (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed');
  for (const { title, status } of results) {
    const own = lines.filter(({ name }) => name === title);
    process.stdout.write(`${status.padEnd(8)} ${title}\n`);
    for (const { criterion, measured } of own)
      process.stdout.write(`         ${criterion ?? `→ ${measured ?? ''}`}\n`);
  }
  if (values.update) updateTable(results);
  return code;
}

/** The last column of a fault's row is what became of all of its tests in this run. */
function updateTable(results: readonly { readonly title: string; readonly status: string }[]): void {
  const path = join(root, 'docs/faults.md');
  const today = new Date().toISOString().slice(0, 10);
  const text = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => {
      const number = /^\| (F\d+) /.exec(line)?.[1];
      const own = results.filter(({ title }) => title.split(' ')[0] === number);
      if (number === undefined || own.length === 0) return line;
      const failed = own.filter(({ status }) => status !== 'passed').length;
      const result = failed === 0 ? 'passed' : `${failed} of ${own.length} failed`;
      return line.replace(/[^|]*\|$/, ` ${result}, ${today} |`);
    })
    .join('\n');
  writeFileSync(path, text);
}

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
