import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a reader saw that should not be, and how often it looked. */
export interface ReaderReport {
  readonly reads: number;
  readonly faults: readonly string[];
}

/**
 * A program that reads all files of a folder in a loop, as those that the folder is for do: never may it see anything
 * but a whole content (G2). With `/proc/PID/root/…` as the folder it reads through the container's own mounts.
 * `watched` are paths that, once there, must never be absent; with `only` nothing else is read.
 */
export class LoopReader implements AsyncDisposable {
  readonly #worker: Worker;
  #report: Promise<ReaderReport> | undefined;

  constructor(root: string, watched: readonly string[] = [], only = false) {
    this.#worker = new Worker(new URL('./reader.worker.ts', import.meta.url), {
      workerData: { root, watched, only },
    });
    // A container that ended under the reader ends it as well; then there is nothing to report.
    this.#worker.on('error', () => undefined);
  }

  end(): Promise<ReaderReport> {
    this.#report ??= this.#end();
    return this.#report;
  }

  async #end(): Promise<ReaderReport> {
    const exited = once(this.#worker, 'exit').then(() => ({ reads: 0, faults: [] }));
    const told = once(this.#worker, 'message').then(([report]) => report as ReaderReport);
    this.#worker.postMessage('end');
    return Promise.race([told, exited]).finally(() => void this.#worker.terminate());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
