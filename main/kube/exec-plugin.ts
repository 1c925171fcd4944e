import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { isAbsolute, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { printable } from './errors.ts';
import { execInfo, parseExecAnswer } from './exec-credential.ts';
import type { PluginCredential } from './exec-credential.ts';
import { findExecutable, isExecutable } from './find-executable.ts';
import type { ExecEntry } from './kubeconfig.ts';
import type { Selection } from './kubeconfig-select.ts';
import { killGroup, loginShellTimeoutMs } from './login-shell.ts';
import type { Environment } from './proxy.ts';

/** Bound on a plugin that can ask nobody: short enough that a command still answers within 10 s. */
export const pluginTimeoutMs = 7_000;
/** Bound on a plugin that a person answers. */
export const interactivePluginTimeoutMs = 5 * 60_000;
/** A credential is renewed this long before it ends, or a tenth of its life before when that is shorter. */
export const expiryLeewayMs = 10_000;
/** However early a plugin says its credential ends, it is not run again within this time. */
const minimumUseMs = 1_000;
const maximumStderrBytes = 4 * 1024;
const maximumStdoutBytes = 1024 * 1024;
/** After a plugin ended, how long what it left behind may keep its output open. */
const drainMs = 500;

/** A person at a terminal whom a plugin may ask. */
export interface PluginInteraction {
  /** `inherit` gives the plugin this process's own terminal. */
  readonly stdin: 'inherit' | Readable;
  /** Where a plugin's standard error goes as it comes: the address to open, the code to type. */
  readonly stderr: Writable;
}

/**
 * Whether a plugin may run, asked before each run: whoever answers remembers. Rejects with `consent.refused`. Has
 * no bound in time, since a person may be asked.
 */
export type PluginConsent = (exec: ExecEntry, signal: AbortSignal) => Promise<void>;

export interface ExecPluginOptions {
  readonly selection: Selection;
  readonly exec: ExecEntry;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Undefined when nobody can be asked. */
  readonly interaction?: PluginInteraction | undefined;
  /** Undefined where the kubeconfig was chosen by its user for kubectl too. */
  readonly consent?: PluginConsent | undefined;
  /** Content of the cluster's certificate authority, for plugins that want it. */
  readonly authority: () => Promise<string | undefined>;
  /** A longer PATH to look in when the plugin is not in that of `environment`. */
  readonly fallbackPath?: (() => Promise<string | undefined>) | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A credential plugin with its last answer. Parallel callers share one run. */
export interface ExecPlugin extends AsyncDisposable {
  credential(): Promise<PluginCredential>;
  /** Forgets `used` after the server refused it, unless there is a newer one already. */
  reject(used: PluginCredential): void;
}

/** Runs nothing before it is asked for a credential. */
export function createExecPlugin(options: ExecPluginOptions): ExecPlugin {
  let cached: { readonly credential: PluginCredential; readonly until: number } | undefined;
  let running: Promise<PluginCredential> | undefined;
  const ended = new AbortController();
  const run = async (): Promise<PluginCredential> => {
    await options.consent?.(options.exec, ended.signal);
    ended.signal.throwIfAborted();
    const credential = await runPlugin(options, ended.signal);
    const now = options.clock.now();
    cached = { credential, until: usableUntil(credential, now) };
    return credential;
  };
  return {
    async credential() {
      if (cached !== undefined && options.clock.now() < cached.until) return cached.credential;
      running ??= run().finally(() => (running = undefined));
      return running;
    },
    reject(used) {
      if (cached?.credential === used) cached = undefined;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running?.catch(() => undefined);
    },
  };
}

/** Until when a credential is used, in milliseconds since the epoch. */
export function usableUntil(credential: PluginCredential, now: number): number {
  if (credential.expiresAt === undefined) return Infinity;
  const leeway = Math.min(expiryLeewayMs, (credential.expiresAt - now) / 10);
  return Math.max(credential.expiresAt - leeway, now + minimumUseMs);
}

async function runPlugin(options: ExecPluginOptions, signal: AbortSignal): Promise<PluginCredential> {
  const { exec, selection, interaction } = options;
  const mayAsk = exec.interactiveMode !== 'Never' && interaction !== undefined;
  if (exec.interactiveMode === 'Always' && !mayAsk) {
    throw failed(
      exec,
      'It has to ask a person, and there is no terminal here.',
      'Sign in from a terminal first.',
    );
  }
  const { command, path } = await locate(options);
  const authority = exec.provideClusterInfo ? await options.authority() : undefined;
  const environment = {
    ...options.environment,
    ...(path === undefined ? {} : { PATH: path }),
    ...Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: execInfo(selection, mayAsk, authority),
  };
  const stdin = mayAsk ? (interaction.stdin === 'inherit' ? 'inherit' : 'pipe') : 'ignore';
  // In a group of its own, to be killed whole; but a plugin that reads our terminal has to stay in our group.
  const child = spawn(command, [...(exec.args ?? [])], {
    detached: stdin !== 'inherit',
    env: environment,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  if (mayAsk && interaction.stdin !== 'inherit' && child.stdin !== null) {
    child.stdin.on('error', () => undefined);
    interaction.stdin.pipe(child.stdin);
  }
  const timeoutMs = options.timeoutMs ?? (mayAsk ? interactivePluginTimeoutMs : pluginTimeoutMs);
  const result = await collect(child, { ...options, timeoutMs, inOwnGroup: stdin !== 'inherit', signal });
  if (result.code !== 0) {
    const how =
      result.code === null
        ? `It was ended by ${result.signal ?? 'a signal'}`
        : `It ended with exit code ${result.code}`;
    throw failed(exec, result.stderr === '' ? `${how}.` : `${how}: ${result.stderr}`, signInHint(exec));
  }
  const answer = parseExecAnswer(result.stdout, exec.apiVersion ?? '');
  if (answer.kind === 'credential') return answer.credential;
  throw failed(exec, answer.reason, 'Run the plugin in a terminal to see what it prints, or update it.');
}

interface PluginResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  /** Bounded, and without control characters. */
  readonly stderr: string;
}

interface CollectOptions extends ExecPluginOptions {
  readonly timeoutMs: number;
  readonly inOwnGroup: boolean;
  readonly signal: AbortSignal;
}

function collect(child: ChildProcess, options: CollectOptions): Promise<PluginResult> {
  const stdout: Buffer[] = [];
  let stdoutBytes = 0;
  let stderr = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    let drain: Disposable | undefined;
    const kill = (): void => {
      if (child.pid === undefined) return;
      if (options.inOwnGroup) killGroup(child.pid);
      else child.kill('SIGKILL');
    };
    const end = (settle: () => void): void => {
      timer[Symbol.dispose]();
      waiting[Symbol.dispose]();
      drain?.[Symbol.dispose]();
      options.signal.removeEventListener('abort', onAbort);
      if (
        child.stdin !== null &&
        options.interaction !== undefined &&
        options.interaction.stdin !== 'inherit'
      ) {
        options.interaction.stdin.unpipe(child.stdin);
      }
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle();
    };
    const giveUp = (error: unknown): void => {
      kill();
      end(() => reject(error));
    };
    const onAbort = (): void => giveUp(options.signal.reason);
    const waiting = options.clock.timer(pluginTimeoutMs, () => {
      options.interaction?.stderr.write(
        `Waiting for the sign-in plugin ${printable(options.exec.command)}; Ctrl-C ends it.\n`,
      );
    });
    const timer = options.clock.timer(options.timeoutMs, () =>
      giveUp(timedOut(options, printable(stderr.toString()))),
    );
    options.signal.addEventListener('abort', onAbort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout.push(chunk);
      stdoutBytes += chunk.length;
      if (stdoutBytes > maximumStdoutBytes) {
        giveUp(
          failed(options.exec, `It printed more than ${maximumStdoutBytes} bytes.`, signInHint(options.exec)),
        );
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      options.interaction?.stderr.write(chunk);
      // The last words tell most.
      stderr = Buffer.concat([stderr, chunk]).subarray(-maximumStderrBytes);
    });
    const finish = (code: number | null, signal: string | null): void => {
      const text = printable(stderr.toString()).trim();
      end(() => resolve({ code, signal, stdout: Buffer.concat(stdout).toString(), stderr: text }));
    };
    child.on('error', (error) => giveUp(failed(options.exec, error.message, signInHint(options.exec))));
    child.on('exit', (code, signal) => (drain = options.clock.timer(drainMs, () => finish(code, signal))));
    child.on('close', finish);
  });
}

/** Where the plugin is, and the PATH that it was found in when that is not our own. */
async function locate(
  options: ExecPluginOptions,
): Promise<{ readonly command: string; readonly path?: string }> {
  const { exec, environment, fallbackPath } = options;
  if (isAbsolute(exec.command) || exec.command.includes(sep)) {
    if (await isExecutable(exec.command)) return { command: exec.command };
    throw missing(exec, `There is no executable file at ${exec.command}.`);
  }
  const path = environment['PATH'] ?? '';
  const found = await findExecutable(exec.command, path);
  if (found !== undefined) return { command: found };
  const longer = await fallbackPath?.();
  const elsewhere = longer === undefined ? undefined : await findExecutable(exec.command, longer);
  if (elsewhere !== undefined && longer !== undefined) return { command: elsewhere, path: longer };
  const searched = longer ?? (path === '' ? 'empty' : path);
  const notice =
    longer === undefined && fallbackPath !== undefined
      ? ` The login shell told no other one within ${loginShellTimeoutMs / 1000} s.`
      : '';
  throw missing(exec, `It is not in PATH, which is ${searched}.${notice}`);
}

function missing(exec: ExecEntry, cause: string): SlipwayError {
  const hint = printable(exec.installHint ?? '')
    .trim()
    .slice(0, 1024);
  return new SlipwayError({
    code: 'credential.plugin-missing',
    message: `The sign-in plugin ${printable(exec.command)} was not found.`,
    cause,
    next: hint === '' ? 'Install it, or correct its name in the kubeconfig.' : hint,
  });
}

function failed(exec: ExecEntry, cause: string, next: string): SlipwayError {
  return new SlipwayError({
    code: 'credential.plugin-failed',
    message: `The sign-in plugin ${printable(exec.command)} gave no credential.`,
    cause,
    next,
  });
}

function signInHint(exec: ExecEntry): string {
  return `Run ${printable(exec.command)} in a terminal and sign in there, then retry.`;
}

function timedOut(options: CollectOptions, stderr: string): SlipwayError {
  const said = stderr.trim();
  return new SlipwayError({
    code: 'credential.plugin-timeout',
    message: `The sign-in plugin ${printable(options.exec.command)} did not end in ${options.timeoutMs / 1000} s and was stopped.`,
    cause:
      said === ''
        ? 'It said nothing; it may wait for an answer that nobody can give here.'
        : `It said: ${said}`,
    next: signInHint(options.exec),
  });
}
