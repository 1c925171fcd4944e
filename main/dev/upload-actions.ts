import type { SessionEvent } from '../../contract/session-events.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation, messageOf, SlipwayError } from '../base/errors.ts';
import type { OnUpload, UploadCommand } from '../sync/on-upload.ts';

/** What happens with one command after uploads. */
export type UploadAction = Omit<Extract<SessionEvent, { readonly event: 'command' }>, 'event'>;

export interface CommandRun {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export interface UploadActionsOptions {
  readonly onUpload: OnUpload;
  readonly clock: Clock;
  /** Runs a command on its side; resolves with its exit code, or `done-before`. */
  readonly run: (command: UploadCommand, run: CommandRun) => Promise<number | 'done-before'>;
  /** Resolves false when that was not needed: the program begins with these files. */
  readonly restart: (signal: AbortSignal) => Promise<boolean>;
  /** The commands that a batch of paths asks for, in their order. */
  readonly commandsFor: (paths: ReadonlySet<string>) => readonly UploadCommand[];
  readonly tell: (action: UploadAction) => void;
  /** A command failed that must not fail. */
  readonly fail: (error: SlipwayError) => void;
}

/** Uploads that follow one another this fast are one batch, but none waits longer than the second. */
const quietMs = 60;
const oldestMs = 1000;
/** Paths of a batch that are remembered; of more, every command is meant. */
const pathLimit = 20_000;
const commandMs = 10 * 60_000;
/** Output of one command that is told, and how much of its end is kept. */
const outputLimit = 64 * 1024;
const tailLimit = 2048;

/**
 * Runs commands after uploads were acknowledged: those of the first sync together at its end, later ones by batches,
 * one command after the other. What is uploaded meanwhile is the next batch; the sync itself never waits.
 */
export class UploadActions implements AsyncDisposable {
  readonly #options: UploadActionsOptions;
  readonly #stop = new AbortController();
  #paths = new Set<string>();
  #everything = false;
  #since: number | undefined;
  #timer: Disposable | undefined;
  #live = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: UploadActionsOptions) {
    this.#options = options;
  }

  /** The container has acknowledged this path. */
  uploaded(...paths: readonly string[]): void {
    if (this.#paths.size < pathLimit) for (const path of paths) this.#paths.add(path);
    else this.#everything = true;
    if (!this.#live) return;
    const { clock } = this.#options;
    this.#since ??= clock.monotonic();
    const left = Math.max(0, this.#since + oldestMs - clock.monotonic());
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.timer(Math.min(quietMs, left), () => this.#flush());
  }

  /** Both sides are one: nothing more belongs to this batch. */
  atRest(): void {
    this.#live = true;
    this.#flush();
  }

  /** Resolves when everything that was uploaded before has had its commands. */
  idle(): Promise<void> {
    return this.#work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#stop.abort(new DOMException('The session ended', 'AbortError'));
    await this.#work;
  }

  #flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#since = undefined;
    if (this.#paths.size === 0 || this.#stop.signal.aborted) return;
    const [paths, everything] = [this.#paths, this.#everything];
    this.#paths = new Set();
    this.#everything = false;
    const { exec } = this.#options.onUpload;
    const commands = everything ? exec : this.#options.commandsFor(paths);
    this.#work = this.#work.then(() => this.#runAll(commands));
  }

  async #runAll(commands: readonly UploadCommand[]): Promise<void> {
    for (const command of commands) {
      if (this.#stop.signal.aborted) return;
      await this.#run(command);
    }
    if (this.#options.onUpload.restartContainer && !this.#stop.signal.aborted) await this.#restart();
  }

  async #run(command: UploadCommand): Promise<void> {
    const { clock, tell, fail, run } = this.#options;
    const where = command.local ? 'laptop' : 'container';
    const about = { name: command.name, where } as const;
    const began = clock.monotonic();
    const output = new OutputTail((text) => tell({ ...about, state: 'output', text }));
    tell({ ...about, state: 'started', text: command.command.join(' ') });
    const limit = new AbortController();
    using _limit = clock.timer(commandMs, () => limit.abort(tooLong(command.name)));
    const end = (): number => Math.round(clock.monotonic() - began);
    try {
      const signal = AbortSignal.any([this.#stop.signal, limit.signal]);
      const code = await run(command, { signal, onOutput: (text) => output.add(text) });
      if (code === 'done-before') tell({ ...about, state: 'skipped', text: 'It has succeeded before.' });
      else if (code === 0) tell({ ...about, state: 'ended', text: output.tail, code, milliseconds: end() });
      else {
        tell({ ...about, state: 'failed', text: output.tail, code, milliseconds: end() });
        if (command.failOnError) fail(failed(command.name, `It ended with exit code ${code}.`, output.tail));
      }
    } catch (error) {
      if (this.#stop.signal.aborted || isCancellation(error)) return;
      const text = [messageOf(error), error instanceof SlipwayError ? error.causeText : ''].join(' ').trim();
      tell({ ...about, state: 'failed', text, milliseconds: end() });
      if (!(error instanceof SlipwayError)) throw error;
      if (command.failOnError) fail(failed(command.name, text, output.tail));
    }
  }

  async #restart(): Promise<void> {
    const { clock, tell, restart } = this.#options;
    const about = { name: 'restart', where: 'container' } as const;
    const began = clock.monotonic();
    tell({ ...about, state: 'started', text: 'restarting the program of the container' });
    try {
      const done = await restart(this.#stop.signal);
      if (!done) tell({ ...about, state: 'skipped', text: 'It begins with these files.' });
      else tell({ ...about, state: 'ended', text: '', milliseconds: Math.round(clock.monotonic() - began) });
    } catch (error) {
      if (this.#stop.signal.aborted || isCancellation(error)) return;
      if (!(error instanceof SlipwayError)) throw error;
      tell({ ...about, state: 'failed', text: [error.message, error.causeText].join(' ').trim() });
    }
  }
}

/** Passes output on up to a limit and keeps the end of it. */
class OutputTail {
  readonly #pass: (text: string) => void;
  #left = outputLimit;
  tail = '';

  constructor(pass: (text: string) => void) {
    this.#pass = pass;
  }

  add(text: string): void {
    this.tail = (this.tail + text).slice(-tailLimit);
    if (this.#left <= 0) return;
    const passed = text.slice(0, this.#left);
    this.#left -= passed.length;
    this.#pass(this.#left > 0 ? passed : `${passed}\n… the rest is left out`);
  }
}

function tooLong(name: string): SlipwayError {
  return failed(name, 'It took longer than ten minutes and was ended.', '');
}

function failed(name: string, cause: string, tail: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.command-failed',
    message: `${name} failed after an upload.`,
    cause: [cause, tail.trim()].filter((part) => part !== '').join('\n'),
    next: 'Correct the command, or leave out failOnError so that its failure is told only.',
  });
}
