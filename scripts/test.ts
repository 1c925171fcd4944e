import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlProgram } from '../sandbox/client.ts';

/**
 * How a part of the suite ended. A part that crashed without counting counts as one failure.
 * What failed is said once more at the very end, since a log is often read from there.
 */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

const root = new URL('..', import.meta.url).pathname;
const none: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [] };
/** How much of one failure is repeated at the end, in characters. */
const failureLength = 1_500;
const parts = ['check', 'unit', 'go', 'cluster', 'e2e', 'sandbox', 'window'] as const;

function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; capture?: boolean } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', options.capture ? 'pipe' : 'inherit', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** These tests mostly wait (for pods, for a minute without a sign of life), so more of them run than there are cores. */
const clusterWorkers = 4;
/** Each of these has a browser. */
const windowWorkers = 2;

async function check(): Promise<Outcome> {
  const { code, output } = await run('sh', ['scripts/check.sh'], { capture: true });
  console.log(output);
  if (code === 0) return { ...none, passed: 1 };
  return { ...none, failed: 1, failures: [`check: ${output.trim().slice(-failureLength)}`] };
}

async function vitest(
  projects: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly workers?: number;
    /** What it says comes at its end, so that it does not mix with that of a part beside it. */
    readonly beside?: boolean;
  } = {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  const report = join(folder, 'report.json');
  try {
    const args = [
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(options.workers === undefined ? [] : [`--maxWorkers=${options.workers}`]),
    ];
    const { code, output } = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
      env: options.env ?? {},
      capture: options.beside === true,
    });
    console.log(output);
    const counted = readVitestReport(report);
    if (code === 0 || counted.failed > 0) return counted;
    return {
      ...counted,
      failed: 1,
      failures: [`${projects.join(', ')}: ended with ${code}, see its output above`],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

function readVitestReport(path: string): Outcome {
  let report: VitestReport;
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as VitestReport;
  } catch {
    return none;
  }
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message === '' ? [] : [`${name}: ${message.slice(0, failureLength)}`]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(
        (test) =>
          `${name} > ${test.fullName}\n${(test.failureMessages ?? []).join('\n').slice(0, failureLength)}`,
      ),
  ]);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  };
}

async function go(): Promise<Outcome> {
  const { code, output } = await run('go', ['test', '-json', './...'], {
    cwd: join(root, 'helper'),
    capture: true,
  });
  const counted = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  const outputs = new Map<string, string[]>();
  for (const line of output.split('\n').filter((text) => text.startsWith('{'))) {
    const event = JSON.parse(line) as { Action: string; Package?: string; Test?: string; Output?: string };
    const key = `${event.Package ?? ''} ${event.Test ?? ''}`;
    if (event.Action === 'output') outputs.set(key, [...(outputs.get(key) ?? []), event.Output ?? '']);
    if (event.Action === 'fail')
      failures.push(`go ${key}\n${(outputs.get(key) ?? []).join('').slice(-failureLength)}`);
    if (event.Test === undefined) continue;
    if (event.Action === 'pass') counted.passed++;
    if (event.Action === 'fail') counted.failed++;
    if (event.Action === 'skip') counted.skipped++;
  }
  console.log(`go: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped`);
  return { ...counted, failed: code !== 0 && counted.failed === 0 ? 1 : counted.failed, failures };
}

/** Brings the sandbox cluster up and returns the path of its kubeconfig; undefined when that failed. */
async function sandboxUp(): Promise<string | undefined> {
  const up = await run(process.execPath, ['sandbox/main.ts', 'up']);
  if (up.code !== 0) return undefined;
  const { output } = await run(process.execPath, ['sandbox/main.ts', 'kubeconfig'], { capture: true });
  return output.trim();
}

/** The cluster's tests, with kubectl of the cluster's own version first on PATH. */
async function onCluster(
  projects: readonly string[],
  options: { readonly workers: number; readonly beside?: boolean },
): Promise<Outcome> {
  const kubeconfig = await sandboxUp();
  if (kubeconfig === undefined) {
    const failure = 'The sandbox cluster did not come up: the tests that need it count as failed.';
    return { ...none, failed: 1, failures: [failure] };
  }
  const tools = mkdtempSync(join(tmpdir(), 'slipway-tools-'));
  try {
    symlinkSync(kubectlProgram(), join(tools, 'kubectl'));
    const env = { SLIPWAY_TEST_KUBECONFIG: kubeconfig, PATH: `${tools}:${process.env['PATH'] ?? ''}` };
    return await vitest(projects, { env, ...options });
  } finally {
    rmSync(tools, { recursive: true });
  }
}

/** Says what a part took: of one that ran beside others, what was left of it after them. */
async function timed(name: string, outcome: Promise<Outcome>): Promise<Outcome> {
  const started = performance.now();
  const result = await outcome;
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return result;
}

async function main(): Promise<number> {
  const asked = process.argv.slice(2);
  const wanted = parts.filter((part) => asked.length === 0 || asked.includes(part));
  const wants = (part: (typeof parts)[number]): boolean => wanted.includes(part);
  const outcomes: Outcome[] = [];
  const projects = wanted.filter((part) => ['cluster', 'e2e', 'sandbox'].includes(part));
  // The cluster's tests mostly wait, so that there is time for those that compute.
  const cluster =
    projects.length > 0 ? onCluster(projects, { workers: clusterWorkers, beside: true }) : undefined;
  if (wants('check')) outcomes.push(await timed('check', check()));
  if (wants('unit')) outcomes.push(await timed('unit', vitest(['unit'])));
  if (wants('go')) outcomes.push(await timed('go', go()));
  if (cluster !== undefined) outcomes.push(await timed(projects.join(', '), cluster));
  if (wants('window'))
    outcomes.push(await timed('window', onCluster(['window'], { workers: windowWorkers })));
  for (const failure of outcomes.flatMap(({ failures }) => failures)) console.log(`\nfailed: ${failure}`);
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return sum('failed') === 0 ? 0 : 1;
}

process.exitCode = await main();
