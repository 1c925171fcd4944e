import { Worker } from 'node:worker_threads';
import type { Entry, Problem } from '../entry.ts';
import type { PathRulesOptions } from '../rules.ts';
import type { DiskAnswer, DiskRequest } from './disk.worker.ts';

export interface DiskListing {
  readonly entries: Map<string, Entry | undefined>;
  readonly problems: readonly Problem[];
}

/** Walks and hashes in a worker thread, so that the main event loop is never kept for long. */
export class DiskService implements AsyncDisposable {
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<
    number,
    {
      readonly entries: DiskListing['entries'];
      readonly resolve: (listing: DiskListing) => void;
      readonly reject: (error: Error) => void;
    }
  >();

  scan(root: string, below: string, rules: PathRulesOptions): Promise<DiskListing> {
    return this.#ask((id) => ({ id, kind: 'scan', root, below, rules }));
  }

  hash(root: string, paths: readonly string[]): Promise<DiskListing> {
    return this.#ask((id) => ({ id, kind: 'hash', root, paths }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail(new Error('The disk service ended'));
    await worker?.terminate();
  }

  #ask(make: (id: number) => DiskRequest): Promise<DiskListing> {
    const id = this.#next++;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { entries: new Map(), resolve, reject });
      worker.postMessage(make(id));
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./disk.worker.ts', import.meta.url), { name: 'sync-disk' });
    worker.on('message', (answer: DiskAnswer) => this.#take(answer));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.unref();
    return worker;
  }

  #take(answer: DiskAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    if (answer.kind === 'part') {
      for (const [path, entry] of answer.entries) waiting.entries.set(path, entry);
      return;
    }
    this.#waiting.delete(answer.id);
    if (answer.kind === 'end') waiting.resolve({ entries: waiting.entries, problems: answer.problems });
    else waiting.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#worker = undefined;
  }
}
