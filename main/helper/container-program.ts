import { SlipwayError } from '../base/errors.ts';
import type { ExecStatus, Kube, PodTarget } from '../kube/kube.ts';
import { safeText } from './check-message.ts';
import { runCommand } from './run-command.ts';

export interface ContainerProgramOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  /** Path of the injected helper in the container. */
  readonly helperPath: string;
  readonly signal?: AbortSignal | undefined;
}

/** The helper gives an old program five seconds, and the new one ten to begin. */
const restartMs = 20_000;
const startMs = 10_000;
const answerLimit = 4096;
/** As in `helper/internal/restart`. */
const codeDoneBefore = 76;

/** Lets a container that waits for its first sync begin its program; false when it runs already. */
export async function startProgram(options: ContainerProgramOptions): Promise<boolean> {
  return (await ask(options, 'start', startMs)) === 'started';
}

/** Ends the program of a container with all that it started and begins it anew; resolves when it runs. */
export async function restartProgram(options: ContainerProgramOptions): Promise<void> {
  await ask(options, 'restart', restartMs);
}

async function ask(options: ContainerProgramOptions, word: string, timeoutMs: number): Promise<string> {
  const command = [options.helperPath, word];
  const { status, output, diagnostics } = await runCommand({ ...options, command, limit: answerLimit, timeoutMs });
  if (status?.kind === 'exited' && status.code === 0) return output.toString('utf8').trim();
  throw new SlipwayError({
    code: 'sync.command-failed',
    message: `The program of the container was not ${word}ed.`,
    cause: diagnostics.replace(/^slipway: /, '').trim() || wordsOf(status),
    next: 'Start the session with its restart helper (--restart-on-upload of "slipway dev"), or see the log of the container.',
  });
}

export type CommandEnd =
  { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'done-before' };

/**
 * Runs a command in the container below the helper, which ends it with all that it started when we go or the signal
 * aborts. Without a shell of its own: words are passed on as they are. Rejects when what became of it is not known.
 */
export async function runInContainer(
  options: ContainerProgramOptions & {
    readonly command: readonly string[];
    /** Hexadecimal: not again in this container once it has succeeded. */
    readonly onceKey?: string | undefined;
    readonly onOutput: (text: string) => void;
  },
): Promise<CommandEnd> {
  const { kube, target, helperPath, onceKey, onOutput, signal } = options;
  const once = onceKey === undefined ? [] : ['--once', onceKey];
  const command = [helperPath, 'exec', ...once, '--', ...options.command];
  await using stream = await kube.exec(target, { command, stdin: true, signal });
  stream.stdin?.on('error', () => undefined);
  const ends: Promise<unknown>[] = [];
  for (const output of [stream.stdout, stream.stderr]) {
    if (output === undefined) continue;
    output.setEncoding('utf8').on('data', onOutput);
    ends.push(new Promise<void>((resolve) => output.on('close', resolve).on('error', () => resolve())));
  }
  const status = await stream.status;
  await Promise.all(ends);
  signal?.throwIfAborted();
  if (status.kind === 'exited')
    return onceKey !== undefined && status.code === codeDoneBefore
      ? { kind: 'done-before' }
      : { kind: 'exited', code: status.code };
  throw new SlipwayError({
    code: 'stream.lost',
    message: 'What became of a command in the container is not known.',
    cause: wordsOf(status),
    next: 'See whether it has to be run again: the next upload does so.',
  });
}

function wordsOf(status: ExecStatus | undefined): string {
  if (status?.kind === 'exited') return `It ended with exit code ${status.code}.`;
  if (status?.kind === 'failed') return safeText(status.message);
  return status?.kind === 'lost' ? safeText(status.error.message) : 'It gave no answer.';
}
