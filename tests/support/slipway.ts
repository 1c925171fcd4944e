import { spawn, type ChildProcess } from 'node:child_process';
import type { SessionEvent } from '../../contract/session-events.ts';
import { runProcess, testKubeconfig, type ProcessResult } from './kubectl.ts';

const root = new URL('../..', import.meta.url).pathname;
const entry = `${root}main/hosts/cli/start.ts`;

export interface SlipwayOptions {
  readonly home: string;
  readonly kubeconfig?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** A program and its arguments that run the command, in a namespace or a group of their own for instance. */
  readonly within?: readonly string[];
}

function environment(options: SlipwayOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    SLIPWAY_HOME: options.home,
    KUBECONFIG: options.kubeconfig ?? testKubeconfig(),
    ...options.env,
  };
}

/** The process that runs a command line, for tests that start it in a way of their own. */
export function slipwayCommand(
  options: SlipwayOptions,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const nodeArgs = ['--disable-warning=ExperimentalWarning', entry, ...args];
  return { command: process.execPath, args: nodeArgs, env: environment(options) };
}

/** Runs one command of the command line to its end. */
export function slipway(options: SlipwayOptions, ...args: readonly string[]): Promise<ProcessResult> {
  return slipwayWithInput(options, '', ...args);
}

export function slipwayWithInput(
  options: SlipwayOptions,
  input: string | Buffer,
  ...args: readonly string[]
): Promise<ProcessResult> {
  return runProcess(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    input,
    env: environment(options),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}

/** A long command with `--json` and what it told so far. */
export class RunningSlipway implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly events: SessionEvent[] = [];
  readonly exited: Promise<number | null>;
  stderr = '';
  readonly #waiting = new Set<() => void>();

  constructor(options: SlipwayOptions, args: readonly string[]) {
    const [command = '', ...words] = [
      ...(options.within ?? []),
      process.execPath,
      ...['--disable-warning=ExperimentalWarning', entry, ...args, '--json'],
    ];
    const child = spawn(command, words, {
      cwd: options.cwd ?? root,
      env: environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.events.push(
        ...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SessionEvent),
      );
      this.#wake();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((resolve) =>
      child.on('close', (code) => {
        resolve(code);
        this.#wake();
      }),
    );
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits for the first event that passes, counting from `since`; fails with what was told instead when the command ends or time is up. */
  async waitFor<T extends SessionEvent>(
    test: (event: SessionEvent) => event is T,
    options: { readonly timeoutMs?: number; readonly since?: number } = {},
  ): Promise<T> {
    const deadline = Date.now() + (options.timeoutMs ?? 60_000);
    for (let index = options.since ?? 0; ;) {
      for (; index < this.events.length; index++) {
        const event = this.events[index];
        if (event !== undefined && test(event)) return event;
      }
      const left = deadline - Date.now();
      if (left <= 0 || this.child.exitCode !== null) {
        throw new Error(
          `The event did not come. Events: ${JSON.stringify(this.events.slice(-20))}\n${this.stderr}`,
        );
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timeout);
          this.#waiting.delete(wake);
          resolve();
        };
        const timeout = setTimeout(wake, Math.min(left, 500));
        this.#waiting.add(wake);
      });
    }
  }

  ready(timeoutMs = 90_000): Promise<Extract<SessionEvent, { event: 'ready' }>> {
    return this.waitFor((event) => event.event === 'ready', { timeoutMs });
  }

  /** Sends SIGINT and waits for the end. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.exited;
  }
}
