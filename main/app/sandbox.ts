import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AppInfo } from '../../contract/app.ts';
import { SlipwayError } from '../base/errors.ts';

/** The sources, which the sandbox is a part of: two folders up, or three from what is built of them for Electron. */
const repository =
  ['../../', '../../../']
    .map((up) => fileURLToPath(new URL(up, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'sandbox/main.ts'))) ?? '';
const script = join(repository, 'sandbox/main.ts');
/** Electron is no Node for other programs: there the one that the sources find for themselves runs it. */
const [node = '', ...nodeArguments] =
  process.versions['electron'] === undefined
    ? [process.execPath]
    : ['sh', join(repository, 'scripts/node.sh')];
const statusWithinMs = 20_000;
/** Bound on what is read of the sandbox's answers. */
const maximumOutput = 256 * 1024;
/** Lines of progress that are kept, to say why it failed. */
const lastLines = 5;

/** The one-node cluster for trying, which is a program of its own beside the app. */
export interface Sandbox {
  /** Whether it runs or can; asks its program, and says so when it has none. */
  look(signal: AbortSignal): Promise<AppInfo['sandbox']>;
  /** Brings it up and resolves with the path of its kubeconfig. */
  bringUp(onLine: (line: string) => void, signal: AbortSignal): Promise<string>;
  /** Of the one that runs, as far as it was looked for or brought up. */
  readonly kubeconfig: string | undefined;
}

export function createSandbox({ platform }: { readonly platform: NodeJS.Platform }): Sandbox {
  const unavailable = (reason: string): AppInfo['sandbox'] => ({ kind: 'unavailable', reason });
  let kubeconfig: string | undefined;
  return {
    get kubeconfig() {
      return kubeconfig;
    },
    async look(signal) {
      if (platform !== 'linux')
        return unavailable('The sandbox is made of Linux containers and runs on Linux only.');
      if (repository === '') return unavailable('The sandbox comes with the sources of Slipway only.');
      const status = await runSandbox(['status', '--json'], {
        signal: AbortSignal.any([signal, AbortSignal.timeout(statusWithinMs)]),
      });
      const answer = parseStatus(status.output);
      if (answer === undefined)
        return unavailable(status.lines.at(-1) ?? 'The sandbox does not say how it is.');
      kubeconfig = answer.up ? answer.kubeconfig : undefined;
      return kubeconfig === undefined ? { kind: 'available' } : { kind: 'running', kubeconfig };
    },
    async bringUp(onLine, signal) {
      const { code, lines } = await runSandbox(['up'], { onLine, signal });
      if (code !== 0) throw notUp(lines);
      const { output } = await runSandbox(['kubeconfig'], { signal });
      kubeconfig = output.trim();
      return kubeconfig;
    },
  };
}

interface Answer {
  readonly code: number | null;
  readonly output: string;
  readonly lines: readonly string[];
}

function runSandbox(
  args: readonly string[],
  { onLine, signal }: { readonly onLine?: (line: string) => void; readonly signal: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [...nodeArguments, script, ...args], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: what it builds with has to end with it.
      detached: true,
    });
    const stop = (): void => {
      if (child.pid !== undefined) endGroup(child.pid);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let output = '';
    const lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maximumOutput) output += text;
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      const word = line.replace(/^sandbox: /, '').slice(0, 500);
      lines.push(word);
      if (lines.length > lastLines) lines.shift();
      onLine?.(word);
    });
    child.once('error', (error) => reject(notUp([error.message])));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve({ code, output, lines });
    });
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function parseStatus(text: string): { readonly up: boolean; readonly kubeconfig?: string } | undefined {
  try {
    const status = JSON.parse(text) as { readonly up?: unknown; readonly kubeconfig?: unknown };
    const { up, kubeconfig } = status;
    return { up: up === true, ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}) };
  } catch {
    return undefined;
  }
}

function notUp(lines: readonly string[]): SlipwayError {
  return new SlipwayError({
    code: 'sandbox.failed',
    message: 'The sandbox did not come up.',
    cause: lines.join(' '),
    next: 'See docs/sandbox.md for what it needs, then try again.',
  });
}
