import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How long a child may take to end by itself. */
const endWithinMs = 30_000;

/** Ends a child of this process, at once when it does not by itself. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  await ended;
  clearTimeout(timer);
}

/** Keeps cores busy until disposed. */
export function busyLoops(count: number): AsyncDisposable {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(children.map((child) => endChild(child, 'SIGKILL')));
    },
  };
}

/** A module in a process of its own, asked by messages; each question has one answer. */
export class AskedProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  #last = 0;

  constructor(
    module: URL,
    options: {
      readonly env?: NodeJS.ProcessEnv;
      readonly execArgv?: readonly string[];
      readonly cwd?: string;
    } = {},
  ) {
    this.#child = fork(module, {
      env: options.env ?? process.env,
      execArgv: ['--disable-warning=ExperimentalWarning', ...(options.execArgv ?? [])],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    this.#child.on('message', (message) => {
      const { id, value, error } = message as {
        readonly id: number;
        readonly value: unknown;
        readonly error?: string;
      };
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${module.pathname} has ended`));
      this.#waiting.clear();
    });
  }

  ask<Answer>(question: unknown): Promise<Answer> {
    const id = ++this.#last;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, question });
    }) as Promise<Answer>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endChild(this.#child);
  }
}

/** The other end of an {@link AskedProcess}. */
export function answerQuestions<Question>(answer: (question: Question) => unknown): void {
  process.on('message', (message) => {
    const { id, question } = message as { readonly id: number; readonly question: Question };
    Promise.resolve()
      .then(() => answer(question))
      .then(
        (value) => process.send?.({ id, value }),
        (error: unknown) =>
          process.send?.({
            id,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
          }),
      );
  });
}
