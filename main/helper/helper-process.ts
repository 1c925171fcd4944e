import type { Clock } from '../base/clock.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { ExecStatus, ExecStream } from '../kube/kube.ts';
import { safeText } from './check-message.ts';
import { asConnectionError, helperLost, helperMissing } from './helper-errors.ts';

/** Of what the helper says on standard error, the last so many bytes are kept for an error's text. */
const diagnosticsLimit = 4096;
/** How long the exit status may come after the end of the output. */
const statusPatienceMs = 500;

/** One helper process on its exec stream: its output, and the one error with which it ends. */
export class HelperProcess implements AsyncDisposable {
  readonly stream: ExecStream;
  /** Settles once, when the process or its connection is gone or was given up. Never rejects. */
  readonly ended: Promise<SlipwayError>;
  readonly #clock: Clock;
  #diagnostics = '';
  #settle: (error: SlipwayError) => void = () => undefined;
  #settled = false;
  #sentBytes = 0;
  #receivedBytes = 0;

  constructor(stream: ExecStream, clock: Clock) {
    this.stream = stream;
    this.#clock = clock;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    stream.stderr?.on('data', (chunk: Buffer) => {
      this.#diagnostics = (this.#diagnostics + chunk.toString('utf8')).slice(-diagnosticsLimit);
    });
    stream.stderr?.on('error', () => undefined);
    stream.stdin?.on('error', () => undefined);
    stream.stdout.on('error', (error) => this.end(asConnectionError(error)));
    stream.stdout.on('end', () => void this.#outputEnded());
    stream.stdout.on('close', () => void this.#outputEnded());
    void stream.status.then(() => this.#outputEnded());
  }

  /** Bytes of the process's input and output so far. */
  get traffic(): { readonly sentBytes: number; readonly receivedBytes: number } {
    return { sentBytes: this.#sentBytes, receivedBytes: this.#receivedBytes };
  }

  /** Whoever reads the output counts it here. */
  received(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  get hasEnded(): boolean {
    return this.#settled;
  }

  /** Gives the process up: the first reason counts. */
  end(error: SlipwayError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(error);
    this.stream.kill();
  }

  /** Sends bytes; what follows a broken stream is dropped, since `ended` tells of it. */
  write(bytes: Uint8Array, sent?: () => void): void {
    const stdin = this.stream.stdin;
    if (stdin === undefined || this.#settled || stdin.destroyed || stdin.writableEnded) sent?.();
    else {
      this.#sentBytes += bytes.length;
      stdin.write(bytes, () => sent?.());
    }
  }

  /** The output may still hold the message that says why, so the end of the process is taken up a moment later. */
  async #outputEnded(): Promise<void> {
    if (this.#settled) return;
    const status = await Promise.race([
      this.stream.status,
      this.#clock.sleep(statusPatienceMs).then((): undefined => undefined),
    ]);
    if (this.stream.stdout.readableLength > 0) await this.#clock.sleep(statusPatienceMs);
    this.end(whyEnded(status, safeText(this.#diagnostics)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#settled = true;
    await this.stream[Symbol.asyncDispose]();
  }
}

function whyEnded(status: ExecStatus | undefined, diagnostics: string): SlipwayError {
  const said = diagnostics === '' ? '' : ` (${diagnostics})`;
  switch (status?.kind) {
    case undefined:
      return helperLost(`Its output ended without a status${said}.`);
    case 'lost':
      return asConnectionError(status.error);
    case 'failed':
      return /no such file|not found/i.test(status.message)
        ? helperMissing(safeText(status.message))
        : helperLost(safeText(`${status.reason}: ${status.message}`));
    case 'exited':
      return status.code === 127
        ? helperMissing(`The command was not found${said}.`)
        : helperLost(`It exited with code ${status.code}${said}.`);
  }
}

/** Rejects with the process's end, or with `late` after `ms`; otherwise the value of `work`. */
export async function whileAlive<T>(
  process: HelperProcess,
  work: Promise<T>,
  limits: { readonly clock: Clock; readonly ms: number; readonly late: () => SlipwayError; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const settled = new AbortController();
  const signal = limits.signal === undefined ? settled.signal : AbortSignal.any([settled.signal, limits.signal]);
  const timeout = limits.clock.sleep(limits.ms, signal).then((): never => {
    throw limits.late();
  });
  const ended = process.ended.then((error): never => {
    throw error;
  });
  work.catch(() => undefined);
  ended.catch(() => undefined);
  timeout.catch(() => undefined);
  try {
    return await Promise.race([work, ended, timeout]);
  } finally {
    settled.abort(new Error('settled'));
  }
}
