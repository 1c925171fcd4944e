import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import type { Entry, Problem } from '../entry.ts';
import type { PathRulesOptions } from '../rules.ts';
import type { DiskAnswer, DiskRequest } from './disk.worker.ts';

export interface DiskListing {
  readonly entries: Map<string, Entry | undefined>;
  readonly problems: readonly Problem[];
}

/** How long the thread stays without work, in milliseconds: what its heap grew to for a big tree goes with it. */
const idleMs = 2000;
/** Its garbage is mostly young: a large room for it would only stay resident. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/** Walks and hashes in a worker thread, so that the main event loop is never kept for long. */
export class DiskService implements AsyncDisposable {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #idle: Disposable | undefined;
  #next = 1;
  readonly #waiting = new Map<
    number,
    {
      readonly entries: DiskListing['entries'];
      readonly resolve: (listing: DiskListing) => void;
      readonly reject: (error: Error) => void;
    }
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether its thread exists now. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  scan(root: string, below: string, rules: PathRulesOptions): Promise<DiskListing> {
    return this.#ask((id) => ({ id, kind: 'scan', root, below, rules }));
  }

  hash(root: string, paths: readonly string[]): Promise<DiskListing> {
    return this.#ask((id) => ({ id, kind: 'hash', root, paths }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#fail(new Error('The disk service ended'));
    await worker?.terminate();
  }

  #ask(make: (id: number) => DiskRequest): Promise<DiskListing> {
    const id = this.#next++;
    this.#idle?.[Symbol.dispose]();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { entries: new Map(), resolve, reject });
      worker.postMessage(make(id));
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./disk.worker.ts', import.meta.url), {
      name: 'sync-disk',
      resourceLimits,
    });
    worker.on('message', (answer: DiskAnswer) => this.#take(answer));
    worker.on('error', (error: Error) => {
      if (this.#worker === worker) this.#fail(error);
    });
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
    if (this.#waiting.size === 0) this.#idle = this.#clock.timer(idleMs, () => void this.#rest());
    if (answer.kind === 'end') waiting.resolve({ entries: waiting.entries, problems: answer.problems });
    else waiting.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  }

  async #rest(): Promise<void> {
    if (this.#waiting.size > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #fail(error: Error): void {
    this.#idle?.[Symbol.dispose]();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#worker = undefined;
  }
}
