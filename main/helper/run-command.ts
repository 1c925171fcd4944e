import { systemClock, type Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/dispose.ts';
import { SlipwayError } from '../base/errors.ts';
import type { ExecStatus, ExecStream, Kube, PodTarget } from '../kube/kube.ts';
import { safeText } from './check-message.ts';

export interface CommandOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  readonly command: readonly string[];
  /** Bytes of output that are kept; more ends the command. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Called when output came; true ends the command: enough is known. */
  readonly enough?: ((output: Buffer) => boolean) | undefined;
  /** Writes standard input. */
  readonly input?: ((stream: ExecStream) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

export interface CommandResult {
  readonly output: Buffer;
  readonly diagnostics: string;
  /** Undefined when enough was known before the end. */
  readonly status: ExecStatus | undefined;
  /** Whether the server can be told that the input of a command has ended. */
  readonly canHalfClose: boolean;
}

const diagnosticsLimit = 4096;

/** Runs one short command in a container. Standard input is always opened: some runtimes end an exec without it early. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { kube, target, command, limit, signal, clock = systemClock } = options;
  const deadline = new AbortController();
  const both = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  await using lifetime = new DisposableStore();
  lifetime.add(clock.timer(options.timeoutMs, () => deadline.abort(tooSlow(options.timeoutMs))));
  await using stream = await kube.exec(target, { command, stdin: true, signal: both });
  const chunks: Buffer[] = [];
  let length = 0;
  let diagnostics = '';
  stream.stderr?.on('data', (chunk: Buffer) => {
    diagnostics = (diagnostics + chunk.toString('utf8')).slice(-diagnosticsLimit);
  });
  stream.stderr?.on('error', () => undefined);
  stream.stdin?.on('error', () => undefined);
  const ended = new Promise<boolean>((resolve, reject) => {
    stream.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (options.enough?.(Buffer.concat(chunks)) === true) resolve(true);
      else if (length > limit) reject(tooMuch(limit));
    });
    stream.stdout.on('end', () => resolve(false));
    stream.stdout.on('error', reject);
    both.addEventListener('abort', () => reject(both.reason as Error), { once: true });
  });
  ended.catch(() => undefined);
  if (options.input !== undefined) await Promise.race([options.input(stream), ended]);
  const enough = await ended;
  const status = enough ? undefined : await stream.status;
  const { canHalfClose } = stream;
  return { output: Buffer.concat(chunks), diagnostics: safeText(diagnostics), status, canHalfClose };
}

function tooSlow(ms: number): SlipwayError {
  return new SlipwayError({
    code: 'cluster.timeout',
    message: 'A command in the container did not end in time.',
    cause: `It took longer than ${ms / 1000} seconds.`,
    next: 'Try again when the cluster and the connection are less busy.',
  });
}

function tooMuch(limit: number): SlipwayError {
  return new SlipwayError({
    code: 'helper.protocol',
    message: 'A command in the container said more than it can have to say.',
    cause: `It wrote more than ${limit} bytes.`,
    next: 'Start again; if it happens again, something in the container interferes.',
  });
}
