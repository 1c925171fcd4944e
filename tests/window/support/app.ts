import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { slipwayCommand } from '../../support/slipway.ts';

/** How long the app may take until it tells its address. */
const startWithinMs = 60_000;

export interface AppOptions {
  /** The user's own folder, with the app's state in it: an empty one unless given. */
  readonly home?: string;
  readonly kubeconfig?: string | undefined;
  /** A free one unless given. */
  readonly port?: number | undefined;
  /** Further ones of `slipway serve`. */
  readonly flags?: readonly string[] | undefined;
}

/** The app as `slipway serve` runs it, with a home of its own. */
export class App implements AsyncDisposable {
  readonly home: string;
  /** Contains the token. */
  readonly url: string;
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #output: string[];
  readonly #ownHome: boolean;

  static async start({ home, kubeconfig, port, flags = [] }: AppOptions = {}): Promise<App> {
    const folder = home ?? mkdtempSync(join(tmpdir(), 'slipway-window-'));
    const { command, args, env } = slipwayCommand(
      {
        home: join(folder, 'state'),
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        env: { HOME: folder },
      },
      ['serve', '--json', ...flags, ...(port === undefined ? [] : ['--port', String(port)])],
    );
    const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const url = await new Promise<string>((resolve, reject) => {
      const fail = (): void => reject(new Error(`The app did not tell its address: ${output.join('')}`));
      const timeout = setTimeout(fail, startWithinMs);
      child.once('close', fail);
      createInterface(child.stdout).on('line', (line) => {
        output.push(`${line}\n`);
        const { event, url: told } = JSON.parse(line) as { readonly event: string; readonly url: string };
        if (event !== 'serving') return;
        clearTimeout(timeout);
        resolve(told);
      });
    });
    return new App({ folder, url, child, output, ownHome: home === undefined });
  }

  private constructor(parts: {
    readonly folder: string;
    readonly url: string;
    readonly child: ChildProcess;
    readonly output: string[];
    readonly ownHome: boolean;
  }) {
    this.home = parts.folder;
    this.url = parts.url;
    this.#child = parts.child;
    this.#output = parts.output;
    this.#ownHome = parts.ownHome;
    this.exited = new Promise((resolve) => parts.child.on('close', resolve));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything that it said. */
  get output(): string {
    return this.#output.join('');
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill('SIGKILL');
    if (this.#ownHome) rmSync(this.home, { recursive: true, force: true });
  }
}
