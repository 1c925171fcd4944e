import { spawn } from 'node:child_process';

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Output kept of one command, in bytes; more is a bug and is cut. */
const outputBound = 16 * 1024 * 1024;

/** Runs a command to its end and hands back what it said, whatever its exit code. */
export function tryRun(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const [file, ...rest] = command;
  if (file === undefined) throw new Error('no command given');
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < outputBound) stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < outputBound) stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128, stdout, stderr: signal ? `${stderr}ended by ${signal}` : stderr }),
    );
    child.stdin.on('error', () => {}); // the command may end before it reads its input
    child.stdin.end(options.input ?? '');
  });
}

/** Runs a command that has to succeed; its standard error is the message otherwise. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await tryRun(command, options);
  if (result.code !== 0) {
    const said = (result.stderr || result.stdout).trim();
    throw new Error(`${command.join(' ')}: exit code ${result.code}${said ? `: ${said}` : ''}`);
  }
  return result.stdout;
}
