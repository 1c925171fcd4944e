import { spawn as nodeSpawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Environment } from './proxy.ts';

/** Bound on reading the login shell, so that a slow profile delays nothing for longer. */
export const loginShellTimeoutMs = 3_000;

const maximumOutputBytes = 256 * 1024;

/** Where bash keeps what is meant for terminals; as a login shell it leaves reading it to the profile. */
const readBashrc = '[ -r ~/.bashrc ] && . ~/.bashrc; ';

export interface LoginShellOptions {
  readonly environment: Environment;
  readonly timeoutMs?: number | undefined;
  readonly spawn?: typeof nodeSpawn | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * PATH as the user's login shell sets it, or undefined when it cannot be told: an app started from a dock or a
 * menu gets a shorter one. The profile is code of the user: it has no input, its output is ignored, and it and
 * all it started are killed when the time is over.
 */
export async function loginShellPath(options: LoginShellOptions): Promise<string | undefined> {
  const shell = options.environment['SHELL'] ?? '/bin/sh';
  const mark = randomBytes(12).toString('hex');
  const prepare = basename(shell) === 'bash' ? readBashrc : '';
  const output = await runShell(shell, `${prepare}printf '%s%s%s' ${mark} "$PATH" ${mark}`, options);
  return output.split(mark)[1] || undefined;
}

async function runShell(shell: string, command: string, options: LoginShellOptions): Promise<string> {
  const { spawn = nodeSpawn, clock = systemClock, timeoutMs = loginShellTimeoutMs } = options;
  return new Promise((resolve) => {
    // Interactive, because many profiles set PATH in the file that only interactive shells read.
    const child = spawn(shell, ['-i', '-l', '-c', command], {
      detached: true,
      env: { ...options.environment, TERM: 'dumb' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    const finish = (): void => {
      timer[Symbol.dispose]();
      child.stdout?.destroy();
      resolve(output);
    };
    const timer = clock.timer(timeoutMs, () => {
      if (child.pid !== undefined) killGroup(child.pid);
      finish();
    });
    child.stdout?.setEncoding('utf8');
    child.stdout?.on('data', (chunk: string) => {
      if (output.length < maximumOutputBytes) output += chunk;
    });
    child.on('error', finish);
    child.on('close', finish);
  });
}

/** Ends a process that was started detached, with everything it started. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is over already.
  }
}
