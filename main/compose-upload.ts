import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Clock } from './base/clock.ts';
import { SlipwayError } from './base/errors.ts';
import type { ContainerRef } from './dev/pod-source.ts';
import { UploadActions, type CommandRun, type UploadAction } from './dev/upload-actions.ts';
import { restartProgram, runInContainer, startProgram } from './helper/container-program.ts';
import type { InjectedHelper } from './helper/inject.ts';
import type { Kube } from './kube/kube.ts';
import { commandsFor, type OnUpload, type UploadCommand } from './sync/on-upload.ts';
import { pathGlob } from './sync/path-glob.ts';

/** A container of now and the helper in it. */
export type ReachContainer = (
  signal: AbortSignal,
) => Promise<{ readonly target: ContainerRef; readonly helper: InjectedHelper }>;

export interface UploadParts {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly onUpload: OnUpload;
  /** Folder of this machine in which local commands run. */
  readonly folder: string;
  readonly reach: ReachContainer;
  /** Whether the program has begun before the latest upload; a restart is of no use otherwise. */
  readonly needsRestart: () => Promise<boolean>;
  readonly tell: (action: UploadAction) => void;
  readonly fail: (error: SlipwayError) => void;
}

/** How long a local command may take to end before it is killed. */
const endMs = 5_000;

/** Joins what follows an upload: commands here and in the container, and the restart of its program. */
export function createUploadActions(parts: UploadParts): UploadActions {
  const { kube, clock, onUpload, folder, reach, needsRestart, tell, fail } = parts;
  const globs = new Map(
    onUpload.exec.flatMap(({ onChange }) => onChange.map((glob) => [glob, readGlob(glob)] as const)),
  );
  return new UploadActions({
    onUpload,
    clock,
    commandsFor: (paths) =>
      commandsFor(onUpload.exec, paths, (glob, path) => globs.get(glob)?.(path) === true),
    async run(command, run) {
      if (command.local) return runHere(command, folder, run);
      const { target, helper } = await reach(run.signal);
      const onceKey = command.once ? keyOf(command) : undefined;
      const options = { kube, target, helperPath: helper.path, onceKey, ...run };
      const end = await runInContainer({ ...options, command: command.command });
      return end.kind === 'exited' ? end.code : end.kind;
    },
    async restart(signal) {
      if (!(await needsRestart())) return false;
      const { target, helper } = await reach(signal);
      await restartProgram({ kube, target, helperPath: helper.path, signal });
      return true;
    },
    tell,
    fail,
  });
}

export function readGlob(glob: string): (path: string) => boolean {
  const test = pathGlob(glob);
  if (test !== undefined) return test;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `The pattern ${JSON.stringify(glob)} of changed paths cannot be read.`,
    cause: 'Its braces do not match, or it has too many alternatives.',
    next: 'Write it like "package*.json", "src/**/*.ts" or "**/*.{ts,tsx}".',
  });
}

function keyOf({ command }: UploadCommand): string {
  return createHash('sha256').update(JSON.stringify(command)).digest('hex').slice(0, 32);
}

/** Runs a command of the user's own on this machine, in a process group that ends as a whole. */
async function runHere(
  { command, name }: UploadCommand,
  folder: string,
  { signal, onOutput }: CommandRun,
): Promise<number> {
  signal.throwIfAborted();
  const [program = '', ...words] = command;
  const own = process.platform !== 'win32';
  const child = spawn(program, words, { cwd: folder, detached: own, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (by: NodeJS.Signals): void => {
    try {
      if (own && child.pid !== undefined) process.kill(-child.pid, by);
      else child.kill(by);
    } catch {
      // It has ended.
    }
  };
  let killing: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    kill('SIGTERM');
    killing = setTimeout(() => kill('SIGKILL'), endMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', onOutput);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode, by) => resolve(exitCode ?? (by === null ? 1 : 128)));
    });
    signal.throwIfAborted();
    return code;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new SlipwayError({
      code: 'sync.command-failed',
      message: `${name} could not be started on this machine.`,
      next: 'Check that the program is there, or name it with its path.',
      origin: error,
    });
  } finally {
    clearTimeout(killing);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Lets the programs of containers begin: in each container once, when every pair that it waits for has had its first sync
 * there.
 */
export class ProgramStarts {
  readonly #kube: Kube;
  readonly #clock: Clock;
  readonly #pairs: number;
  #container: string | undefined;
  #ready = new Set<number>();
  #begunAt: number | undefined;

  constructor(kube: Kube, clock: Clock, pairs: number) {
    this.#kube = kube;
    this.#clock = clock;
    this.#pairs = pairs;
  }

  /** A pair is in sync with a container; another one waits for all pairs anew. Resolves after the start, if it was the last. */
  async arrived(pair: number, container: string, reach: ReachContainer, signal: AbortSignal): Promise<void> {
    if (this.#container !== container) {
      this.#container = container;
      this.#ready = new Set();
      this.#begunAt = undefined;
    }
    if (this.#ready.has(pair)) return;
    this.#ready.add(pair);
    if (this.#ready.size < this.#pairs) return;
    const { target, helper } = await reach(signal);
    const asked = this.#clock.monotonic();
    const fresh = await startProgram({ kube: this.#kube, target, helperPath: helper.path, signal });
    this.#begunAt = fresh ? asked : Number.NEGATIVE_INFINITY;
  }

  /** Whether the program runs, and has since before that moment: what came later it may not have read. */
  hasBegunBefore(moment: number): boolean {
    return this.#begunAt !== undefined && this.#begunAt < moment;
  }
}
