import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type {
  Terminal,
  TerminalReplay as ReplayNotice,
  TerminalSize,
  TerminalSkip,
} from '../../contract/terminals.ts';
import type { Clock } from '../base/clock.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { ExecStatus, Kube, PodTarget } from '../kube/kube.ts';
import { InterruptSkip } from './interrupt-skip.ts';
import { endShell, ShellPid, shellWithPid } from './shell-end.ts';
import { enter, isMissingProgram } from './terminal.ts';
import { resetModes } from './terminal-modes.ts';
import {
  containerEnded,
  containerGone,
  mayBeContainerEnd,
  type PlaceConnection,
  type TerminalPlace,
} from './terminal-place.ts';
import { TerminalReplay } from './terminal-replay.ts';
import { TerminalViewers } from './terminal-viewers.ts';

/** What the terminals of the windows understand. */
const terminalType = 'xterm-256color';
/** What was typed and a program has not read yet, in bytes. */
export const maximumPendingInput = 1024 * 1024;
/** Output on its way from the connection to the windows, in bytes. */
const outputHighWaterMark = 64 * 1024;
const podLookMs = 5_000;

/** What the stream of a window is to a shell. */
export interface TerminalPeer {
  readonly signal: AbortSignal;
  send(message: Uint8Array | ReplayNotice | TerminalSkip): Promise<void>;
  readonly onMessage: Event<Uint8Array | { readonly size: TerminalSize }>;
}

/** One start of the shell, until it is over. */
class Run {
  readonly stop = new AbortController();
  readonly input = new PassThrough();
  readonly pid = new ShellPid();
  connection: PlaceConnection | undefined;
  over: Promise<void> = Promise.resolve();

  constructor() {
    // A write after the end is of no use any more, and no failure.
    this.input.on('error', () => undefined);
  }
}

/** A shell that goes on without a window. Its latest output outlives it, and each new start of it. */
export class LiveTerminal implements AsyncDisposable {
  readonly state: Store<Terminal>;
  readonly #place: TerminalPlace;
  readonly #replay = new TerminalReplay();
  readonly #viewers: TerminalViewers;
  readonly #skip: InterruptSkip;
  readonly #resized = new Emitter<TerminalSize>();
  #size: TerminalSize;
  #run: Run;
  #restarting: Promise<void> | undefined;
  #closed = false;

  /** `first` is the connection that was made to know where it runs. */
  constructor(options: {
    readonly id: string;
    readonly place: TerminalPlace;
    readonly first: PlaceConnection;
    readonly size: TerminalSize;
    readonly clock: Clock;
  }) {
    const { id, place, first } = options;
    this.#place = place;
    this.#size = options.size;
    this.#viewers = new TerminalViewers(options.clock);
    this.#skip = new InterruptSkip(options.clock, (bytes) => void this.#write(bytes));
    this.state = new Store<Terminal>({
      id,
      title: place.title,
      cluster: place.cluster,
      ...(place.session === undefined ? {} : { session: place.session }),
      ...placeOf(first.target),
      state: 'opening',
    });
    this.#run = this.#start(async () => first);
  }

  /** Shows the shell to a window and takes its input; resolves when the shell is closed. */
  async attach(peer: TerminalPeer): Promise<void> {
    const replay = this.#replay.snapshot();
    const refused = new AbortController();
    using _messages = peer.onMessage((message) => {
      if (!(message instanceof Uint8Array)) this.#resize(message.size);
      else if (!this.#type(message)) refused.abort(inputStuck());
    });
    const signal = AbortSignal.any([peer.signal, refused.signal]);
    const showing = this.#viewers.attach({ signal, send: sendAfterNotice(peer, replay.length) }, replay);
    if (this.#closed) this.#viewers.end();
    await showing;
  }

  /** Starts a new shell in the same place; what was written before stays. */
  restart(size: TerminalSize): Promise<void> {
    this.#size = size;
    this.#restarting ??= this.#startAgain().finally(() => (this.#restarting = undefined));
    return this.#restarting;
  }

  async #startAgain(): Promise<void> {
    await this.#stopRun();
    if (this.#closed) return;
    await this.#write(Buffer.from(`${resetModes}\r\n`));
    this.#run = this.#start((signal) => this.#place.connect(signal));
  }

  /** Ends the shell; its windows are told that there is no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#viewers.end();
    await this.#stopRun();
    this.#skip[Symbol.dispose]();
    this.#resized[Symbol.dispose]();
    this.state[Symbol.dispose]();
  }

  async #stopRun(): Promise<void> {
    const run = this.#run;
    const { connection, pid } = run;
    // Not after its end, when the id may be another process's.
    const alive = this.state.value.state === 'open' || this.state.value.state === 'lost';
    if (connection !== undefined && pid.value !== undefined && alive)
      await endShell(connection.kube, connection.target, pid.value);
    run.stop.abort();
    await run.over;
  }

  #start(connect: (signal: AbortSignal) => Promise<PlaceConnection>): Run {
    const run = new Run();
    this.#tell({ state: 'opening' });
    run.over = this.#runShell(connect, run).then(
      (end) => {
        if (!run.stop.signal.aborted) this.#tell(end);
      },
      (error: unknown) => {
        // Nobody waits for it, and what went wrong here must not end the sessions of others.
        if (!run.stop.signal.aborted) this.#tell({ state: 'lost', error: clusterErrorValue(error) });
      },
    );
    return run;
  }

  async #runShell(connect: (signal: AbortSignal) => Promise<PlaceConnection>, run: Run): Promise<Ending> {
    const { signal } = run.stop;
    const connection = await connect(signal);
    const { kube, target } = connection;
    this.state.update((state) => ({ ...state, ...placeOf(target) }));
    run.connection = connection;
    const output = this.#output(run.pid);
    try {
      const status = await enter({
        kube: { exec: (...call) => this.#exec(kube, ...call) },
        target,
        command: shellWithPid(terminalType),
        stdin: run.input,
        stdout: output,
        terminal: { type: terminalType, ...this.#sizes() },
        signal,
      });
      return await endingOf(status, kube, target, signal);
    } finally {
      output.end();
      await finished(output).catch(() => undefined);
      this.#skip.finish();
      run.input.destroy();
      if (!signal.aborted) await this.#write(Buffer.from(resetModes));
    }
  }

  async #exec(kube: Pick<Kube, 'exec'>, ...call: Parameters<Kube['exec']>): ReturnType<Kube['exec']> {
    const stream = await kube.exec(...call);
    this.#tell({ state: 'open' });
    return stream;
  }

  /** The size as it is when the shell begins, and as it changes. */
  #sizes() {
    const current = (): TerminalSize => this.#size;
    return {
      get size(): TerminalSize {
        return current();
      },
      onResize: this.#resized.event,
    };
  }

  #output(pid: ShellPid): Writable {
    return new Writable({
      highWaterMark: outputHighWaterMark,
      write: (chunk: Buffer, _encoding, done) => {
        pid.look(chunk);
        void this.#write(this.#skip.onOutput(chunk)).then(() => done(), done);
      },
    });
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#replay.push(bytes);
    await this.#viewers.write(bytes);
  }

  /** False when the program does not read what is typed. */
  #type(bytes: Uint8Array): boolean {
    const { input } = this.#run;
    if (input.destroyed || this.state.value.state !== 'open') return true;
    if (input.writableLength + input.readableLength + bytes.length > maximumPendingInput) return false;
    input.write(bytes);
    if (this.#skip.onInput(bytes, this.#viewers.full)) this.#viewers.discard();
    return true;
  }

  #resize(size: TerminalSize): void {
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#resized.fire(size);
  }

  #tell(end: Ending | { readonly state: 'opening' | 'open' }): void {
    this.state.update(({ code: _code, error: _error, ...rest }) => ({ ...rest, ...end }));
  }
}

type Ending = Pick<Terminal, 'code' | 'error'> & { readonly state: 'ended' | 'lost' };

async function endingOf(
  status: ExecStatus,
  kube: Pick<Kube, 'get'>,
  target: PodTarget,
  signal: AbortSignal,
): Promise<Ending> {
  if (status.kind === 'lost') throw status.error;
  if (status.kind === 'failed')
    throw isMissingProgram(status.message)
      ? noShell(target, status.message)
      : couldNotRun(target, status.message);
  const { code } = status;
  if (mayBeContainerEnd(code) && (await hasEnded(kube, target, signal))) throw containerGone(target);
  return { state: 'ended', code };
}

/** What may not be seen counts as running: the exit code is then all that is known. */
async function hasEnded(kube: Pick<Kube, 'get'>, target: PodTarget, signal: AbortSignal): Promise<boolean> {
  try {
    const name = { namespace: target.namespace, name: target.pod };
    const pod = await kube.get<V1Pod>(resourceTypes.pod, name, { signal, timeoutMs: podLookMs });
    return containerEnded(pod, target.container);
  } catch (error) {
    return isSlipwayError(error, 'cluster.not-found');
  }
}

function placeOf({
  namespace,
  pod,
  container,
}: PodTarget): Pick<Terminal, 'namespace' | 'pod' | 'container'> {
  return { namespace, pod, ...(container === undefined ? {} : { container }) };
}

/** Tells the length of the replay before its first byte. */
function sendAfterNotice(
  peer: TerminalPeer,
  replay: number,
): (message: Uint8Array | TerminalSkip) => Promise<void> {
  let told = false;
  return async (message) => {
    if (!told) await peer.send({ replay });
    told = true;
    await peer.send(message);
  };
}

function noShell({ namespace, pod }: PodTarget, cause: string): SlipwayError {
  return new SlipwayError({
    code: 'image.no-shell',
    message: `The image of pod ${namespace}/${pod} has no shell.`,
    cause,
    next: 'Start a session with an image that has a shell: the start form offers one.',
  });
}

function couldNotRun({ namespace, pod }: PodTarget, cause: string): SlipwayError {
  return new SlipwayError({
    code: 'stream.refused',
    message: `No shell could be started in pod ${namespace}/${pod}.`,
    cause,
    next: 'See whether the container runs, then restart the shell.',
  });
}

function inputStuck(): SlipwayError {
  return new SlipwayError({
    code: 'contract.too-much',
    message: 'The program in this shell does not read what is typed.',
    cause: `More than ${maximumPendingInput / 1024 / 1024} MiB waits for it.`,
    next: 'Attach again and interrupt the program with Ctrl-C, or restart the shell.',
  });
}
