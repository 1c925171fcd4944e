import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { assertNever, SlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { ExecStatus, ExecStream, Kube, PodTarget } from '../kube/kube.ts';
import { canTellEnd, commandWithLength, readWhole } from './whole-input.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  readonly stdin: Readable;
  /** The input is a file or a pipe, whose end the command has to see. */
  readonly stdinEnds?: boolean | undefined;
  readonly stdout: Writable;
  /** Used without a terminal, where error output stays apart. */
  readonly stderr?: Writable | undefined;
  /** The first shell of the image unless said otherwise. */
  readonly command?: readonly string[] | undefined;
  /** Undefined runs the command without a terminal. Raw mode of the local one is the caller's. */
  readonly terminal?:
    | { readonly type: string; readonly size: TerminalSize; readonly onResize: Event<TerminalSize> }
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Tried in this order; the last one is also what runs the search. */
export const shells: readonly string[] = ['bash', 'ash', 'sh'];

/** Replaces itself by the first shell that the image has. What that shell does then is its own: no other is tried after it. */
const findShell = `[ -z "$1" ] || { TERM=$1; export TERM; }
for shell in ${shells.join(' ')}; do command -v "$shell" >/dev/null 2>&1 && exec "$shell"; done`;

/** The command that starts a shell in whatever image, with the type of the local terminal. */
export function shellCommand(terminalType: string): readonly string[] {
  return ['sh', '-c', findShell, 'sh', terminalType];
}

/**
 * Runs a shell or a command in a container with the given streams, and resolves with how it ended once its output
 * is written. Rejects with `image.no-shell` when the image has none, and with `stream.lost` when the connection breaks.
 */
export async function enter(options: TerminalOptions): Promise<ExecStatus> {
  const { kube, target, terminal, signal } = options;
  const command = options.command ?? shellCommand(terminal?.type ?? '');
  if (options.stdinEnds === true && terminal === undefined && !(await canTellEnd(options)))
    return enterWithLength(options, command);
  const stream = await kube.exec(target, { command, stdin: true, tty: terminal !== undefined, signal });
  if (terminal !== undefined) stream.resize(terminal.size);
  using _resizing = terminal?.onResize((size) => stream.resize(size));
  const detach = connectInput(options.stdin, stream);
  try {
    return checkStatus(await carryOutput(stream, options), options);
  } finally {
    detach();
    await stream[Symbol.asyncDispose]();
  }
}

/** Where the end of input cannot be told, the command is told its length beforehand. */
async function enterWithLength(options: TerminalOptions, command: readonly string[]): Promise<ExecStatus> {
  const { kube, target, signal } = options;
  const input = await readWhole(options.stdin, signal);
  const wrapped = commandWithLength(command, input.length);
  await using stream = await kube.exec(target, { command: wrapped, stdin: true, signal });
  stream.stdin?.on('error', () => undefined);
  stream.stdin?.write(input);
  return checkStatus(await carryOutput(stream, options), options);
}

/** Resolves with the status once all output is written. */
async function carryOutput(stream: ExecStream, options: TerminalOptions): Promise<ExecStatus> {
  const outputs = [writeTo(stream.stdout, options.stdout)];
  if (stream.stderr !== undefined) outputs.push(writeTo(stream.stderr, options.stderr ?? options.stdout));
  const [status] = await Promise.all([stream.status, ...outputs]);
  return status;
}

/** Input goes on until the command has ended; its end is told where the protocol can. */
function connectInput(stdin: Readable, stream: ExecStream): () => void {
  const { stdin: remote } = stream;
  if (remote === undefined) return () => undefined;
  const onEnd = (): void => {
    if (stream.canHalfClose) remote.end();
  };
  stdin.pipe(remote, { end: false });
  stdin.once('end', onEnd);
  return () => {
    stdin.off('end', onEnd);
    stdin.unpipe(remote);
  };
}

/** Resolves when everything is written, or the source broke: the status tells which. Neither end closes the local side. */
async function writeTo(source: Readable, sink: Writable): Promise<void> {
  source.pipe(sink, { end: false });
  await finished(source).catch(() => undefined);
}

function checkStatus(status: ExecStatus, { target, command }: TerminalOptions): ExecStatus {
  switch (status.kind) {
    case 'exited':
      return status;
    case 'lost':
      throw status.error;
    case 'failed':
      if (command === undefined && isMissingProgram(status.message)) throw noShell(target, status.message);
      return status;
    default:
      return assertNever(status);
  }
}

/** Whether a container runtime says that there is no such program. */
export function isMissingProgram(message: string): boolean {
  return /executable file not found|no such file or directory/i.test(message);
}

function noShell(target: PodTarget, cause: string): SlipwayError {
  const container = target.container === undefined ? '' : ` (container ${target.container})`;
  return new SlipwayError({
    code: 'image.no-shell',
    message: `The image of pod ${target.namespace}/${target.pod}${container} has no shell.`,
    cause,
    next: 'Run a program that the image has, or start the session with an image that has a shell (--image).',
  });
}
