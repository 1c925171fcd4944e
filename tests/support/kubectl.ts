import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

const root = new URL('../..', import.meta.url).pathname;

/** The kubeconfig of the cluster that the tests run on; set by the test command. */
export function testKubeconfig(): string {
  const path = process.env['SLIPWAY_TEST_KUBECONFIG'];
  if (path === undefined || path === '') {
    throw new Error(
      'SLIPWAY_TEST_KUBECONFIG is not set: run these tests through "npm test", or point it at a cluster of your own.',
    );
  }
  return path;
}

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and collects what it says; never rejects for an exit code. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: {
    readonly input?: string | Buffer;
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    readonly timeoutMs?: number;
  } = {},
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      timeout: options.timeoutMs ?? 120_000,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/** The oracle: kubectl of the sandbox, as the cluster's administrator. Fails on a non-zero exit. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  return kubectlWithInput('', ...args);
}

export async function kubectlWithInput(input: string, ...args: readonly string[]): Promise<string> {
  const result = await runProcess(process.execPath, ['sandbox/main.ts', 'kubectl', ...args], { input });
  if (result.code !== 0)
    throw new Error(`kubectl ${args.join(' ')}: ${result.stderr || `exit ${String(result.code)}`}`);
  return result.stdout;
}

export async function kubectlJson<T>(...args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl(...args, '-o', 'json')) as T;
}

export async function apply(...objects: readonly unknown[]): Promise<void> {
  await kubectlWithInput(objects.map((object) => JSON.stringify(object)).join('\n---\n'), 'apply', '-f', '-');
}

/** A namespace of one test, deleted at its end. */
export async function makeNamespace(prefix: string): Promise<{ readonly name: string } & AsyncDisposable> {
  const name = `${prefix}-${randomBytes(3).toString('hex')}`;
  await kubectl('create', 'namespace', name);
  return {
    name,
    async [Symbol.asyncDispose]() {
      await kubectl('delete', 'namespace', name, '--wait=false');
    },
  };
}
