import { spawn } from 'node:child_process';
import type { Clock } from '../base/clock.ts';

/** Bound on one program that is asked for its version. */
export const toolTimeoutMs = 3_000;
const maximumOutputBytes = 16 * 1024;
const maximumLineLength = 200;

export type ToolAnswer =
  { readonly kind: 'said'; readonly text: string } | { readonly kind: 'silent'; readonly reason: string };

/** Runs a program that was found, for one line of its output; `path` is the PATH that it gets. Rejects with the signal's reason only. */
export type RunTool = (
  program: string,
  args: readonly string[],
  options: { readonly path: string; readonly signal: AbortSignal },
) => Promise<ToolAnswer>;

export interface RunToolDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Programs run without input, in a group of their own that is ended when the time is over. */
export function createRunTool({ environment, clock }: RunToolDeps): RunTool {
  return (program, args, { path, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const child = spawn(program, [...args], {
        detached: process.platform !== 'win32',
        env: { ...environment, PATH: path },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      const take = (chunk: string): void => {
        if (output.length < maximumOutputBytes) output += chunk;
      };
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
      const finish = (answer: ToolAnswer | undefined): void => {
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', onAbort);
        child.stdout.destroy();
        child.stderr.destroy();
        if (answer === undefined) reject(signal.reason as Error);
        else resolve(answer);
      };
      const kill = (): void => endGroup(child.pid);
      const onAbort = (): void => {
        kill();
        finish(undefined);
      };
      const timer = clock.timer(toolTimeoutMs, () => {
        kill();
        finish({
          kind: 'silent',
          reason: `It did not tell its version within ${toolTimeoutMs / 1000} s.`,
        });
      });
      signal.addEventListener('abort', onAbort, { once: true });
      child.once('error', (error) =>
        finish({ kind: 'silent', reason: `It cannot be run: ${error.message}.` }),
      );
      child.once('close', (code) => finish(answerOf(code, output)));
    });
}

function answerOf(code: number | null, output: string): ToolAnswer {
  const line = output
    .split('\n')
    .map((text) => text.replaceAll(/\p{Cc}|\p{Cf}/gu, '').trim())
    .find((text) => text !== '' && !/^warning/i.test(text));
  const text = line?.slice(0, maximumLineLength) ?? '';
  if (code === 0 && text !== '') return { kind: 'said', text: versionIn(text) };
  const how = code === null ? 'It was ended' : `It ended with exit code ${code}`;
  return { kind: 'silent', reason: text === '' ? `${how}.` : `${how}: ${text}` };
}

/** Without the program's own name before it. */
function versionIn(line: string): string {
  return /\bv?\d+\.\d+[^\s,]*/.exec(line)?.[0] ?? line;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It is over already.
  }
}
