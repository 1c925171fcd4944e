import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlProgram } from '../sandbox/client.ts';

/** How a part of the suite ended. A part that crashed without counting counts as one failure. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = new URL('..', import.meta.url).pathname;
const none: Outcome = { passed: 0, failed: 0, skipped: 0 };
const parts = ['check', 'unit', 'go', 'cluster', 'e2e', 'sandbox'] as const;

function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; capture?: boolean } = {},
) {
  return new Promise<{ code: number; output: string }>((resolve, reject) => {
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

async function check(): Promise<Outcome> {
  const { code, output } = await run('sh', ['scripts/check.sh'], { capture: true });
  console.log(output);
  return code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
}

async function vitest(
  projects: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly workers?: number } = {},
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
    const { code } = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
      env: options.env ?? {},
    });
    const counted = readVitestReport(report);
    return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readVitestReport(path: string): Outcome {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
    return {
      passed: report['numPassedTests'] ?? 0,
      failed: report['numFailedTests'] ?? 0,
      skipped: (report['numPendingTests'] ?? 0) + (report['numTodoTests'] ?? 0),
    };
  } catch {
    return none;
  }
}

async function go(): Promise<Outcome> {
  const { code, output } = await run('go', ['test', '-json', './...'], {
    cwd: join(root, 'helper'),
    capture: true,
  });
  const counted = { passed: 0, failed: 0, skipped: 0 };
  const failedOutput: string[] = [];
  const outputs = new Map<string, string[]>();
  for (const line of output.split('\n').filter((text) => text.startsWith('{'))) {
    const event = JSON.parse(line) as { Action: string; Package?: string; Test?: string; Output?: string };
    const key = `${event.Package ?? ''} ${event.Test ?? ''}`;
    if (event.Action === 'output') outputs.set(key, [...(outputs.get(key) ?? []), event.Output ?? '']);
    if (event.Action === 'fail') failedOutput.push(...(outputs.get(key) ?? []));
    if (event.Test === undefined) continue;
    if (event.Action === 'pass') counted.passed++;
    if (event.Action === 'fail') counted.failed++;
    if (event.Action === 'skip') counted.skipped++;
  }
  console.log(failedOutput.join(''));
  console.log(`go: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped`);
  return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

/** Brings the sandbox cluster up and returns the path of its kubeconfig; undefined when that failed. */
async function sandboxUp(): Promise<string | undefined> {
  const up = await run(process.execPath, ['sandbox/main.ts', 'up']);
  if (up.code !== 0) return undefined;
  const { output } = await run(process.execPath, ['sandbox/main.ts', 'kubeconfig'], { capture: true });
  return output.trim();
}

/** The cluster's tests, with kubectl of the cluster's own version first on PATH. */
async function onCluster(projects: readonly string[]): Promise<Outcome> {
  const kubeconfig = await sandboxUp();
  if (kubeconfig === undefined) {
    console.error('The sandbox cluster did not come up: the tests that need it count as failed.');
    return { ...none, failed: 1 };
  }
  const tools = mkdtempSync(join(tmpdir(), 'slipway-tools-'));
  try {
    symlinkSync(kubectlProgram(), join(tools, 'kubectl'));
    const env = { SLIPWAY_TEST_KUBECONFIG: kubeconfig, PATH: `${tools}:${process.env['PATH'] ?? ''}` };
    return await vitest(projects, { env, workers: clusterWorkers });
  } finally {
    rmSync(tools, { recursive: true });
  }
}

async function main(): Promise<number> {
  const asked = process.argv.slice(2);
  const wanted = parts.filter((part) => asked.length === 0 || asked.includes(part));
  const wants = (part: (typeof parts)[number]): boolean => wanted.includes(part);
  const outcomes: Outcome[] = [];
  if (wants('check')) outcomes.push(await check());
  if (wants('unit')) outcomes.push(await vitest(['unit']));
  if (wants('go')) outcomes.push(await go());
  const projects = wanted.filter((part) => ['cluster', 'e2e', 'sandbox'].includes(part));
  if (projects.length > 0) outcomes.push(await onCluster(projects));
  const sum = (key: keyof Outcome): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return sum('failed') === 0 ? 0 : 1;
}

process.exitCode = await main();
