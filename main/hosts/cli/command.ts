import type { Kube } from '../../kube/kube.ts';
import type { ClusterChoice, Services } from '../../compose.ts';
import { askText, canAsk } from './ask.ts';
import type { Interrupts } from './interrupts.ts';
import { colouredOnly, formatError, jsonLine, printable, type Terminal } from './output.ts';
import type { ErrorValue } from '../../../contract/errors.ts';

/** The flags that every command takes. */
export interface GlobalOptions {
  readonly namespace?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What the process gives to a command. */
export interface Environment {
  readonly services: Services;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  readonly workingFolder: string;
  readonly input: NodeJS.ReadStream;
}

/** One run of a command: its flags, its output and the cluster it speaks of. Disposing closes the connections. */
export class Invocation implements AsyncDisposable {
  readonly environment: Environment;
  readonly options: GlobalOptions;
  #kube: Kube | undefined;
  #mayChange = false;
  #statusShown = false;

  constructor(environment: Environment, options: GlobalOptions) {
    this.environment = environment;
    this.options = options;
  }

  get services(): Services {
    return this.environment.services;
  }

  get json(): boolean {
    return this.options.json === true;
  }

  get stop(): AbortSignal {
    return this.environment.interrupts.stop;
  }

  async kube(): Promise<Kube> {
    this.#kube ??= await this.services.connect(this.#choice());
    return this.#kube;
  }

  /**
   * The same for a command that changes something, to be called before anything else asks for the cluster. Where its
   * context wants a confirmation it is that of `--confirm`, or else a person's at the terminal.
   */
  async kubeToChange(confirmed: string | undefined): Promise<Kube> {
    if (this.#mayChange && this.#kube !== undefined) return this.#kube;
    this.#kube = await this.services.connectToChange(this.#choice(), async ({ context, expected }) => {
      if (confirmed !== undefined || this.json || !canAsk(this.environment)) return confirmed;
      const question = `${context} is guarded. To change something there, type ${expected}:`;
      return askText(this.environment, question, this.stop);
    });
    this.#mayChange = true;
    return this.#kube;
  }

  #choice(): ClusterChoice {
    return { kubeconfig: this.options.kubeconfig, context: this.options.kubeContext };
  }

  /** The namespace asked for, else that of the context. */
  async namespace(): Promise<string> {
    return this.options.namespace ?? (await this.kube()).defaultNamespace;
  }

  /** One JSON value on a line of its own. */
  printJson(value: unknown): void {
    this.environment.terminal.stdout.write(`${jsonLine(value)}\n`);
  }

  print(text: string): void {
    this.#clearStatus();
    this.environment.terminal.stdout.write(`${printable(text)}\n`);
  }

  /** A container's own output, as it is in a pipe; on a terminal only with what colours it. Waits for a slow reader. */
  async write(text: string): Promise<void> {
    const { stdout } = this.environment.terminal;
    const taken = stdout.write(stdout.isTTY === true ? colouredOnly(text) : text);
    if (taken !== false || !('once' in stdout)) return;
    const { stop } = this;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        (stdout as NodeJS.WriteStream).off('drain', goOn);
        stop.removeEventListener('abort', goOn);
        resolve();
      };
      (stdout as NodeJS.WriteStream).once('drain', goOn);
      // A reader that is gone drains nothing any more; what tells of it asks to stop.
      if (stop.aborted) goOn();
      else stop.addEventListener('abort', goOn, { once: true });
    });
  }

  /** What only helps a person who watches: left out of pipes and of `--json`. */
  progress(text: string): void {
    if (this.json || this.environment.terminal.stderr.isTTY !== true) return;
    this.#clearStatus();
    this.environment.terminal.stderr.write(`${printable(text)}\n`);
  }

  /** One line that the next output replaces: how far something long is. Left out as `progress` is. */
  status(text: string): void {
    const { stderr } = this.environment.terminal;
    if (this.json || stderr.isTTY !== true) return;
    stderr.write(`\r\u001b[K${printable(text)}`);
    this.#statusShown = true;
  }

  #clearStatus(): void {
    if (this.#statusShown) this.environment.terminal.stderr.write('\r\u001b[K');
    this.#statusShown = false;
  }

  /** A message that must be seen, on standard error. */
  warn(text: string): void {
    this.#clearStatus();
    this.environment.terminal.stderr.write(`${printable(text)}\n`);
  }

  error(error: ErrorValue): void {
    if (this.json) this.printJson({ event: 'error', ...error });
    else this.warn(formatError(error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kube?.[Symbol.asyncDispose]();
  }
}
