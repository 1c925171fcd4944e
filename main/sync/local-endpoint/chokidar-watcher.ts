import { relative, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { watch } from 'chokidar';
import { Emitter } from '../../base/event.ts';
import type { WatchHint, Watcher } from '../watcher.ts';
import type { ScanRules } from './scan-disk.ts';

export interface ChokidarWatcherOptions {
  readonly root: string;
  readonly rules: ScanRules;
  /** Look at files instead of waiting for events: for file systems that send none. */
  readonly pollMs?: number | undefined;
}

/** Watches by the platform's own events where folders cannot be watched one by one, or by polling. */
export class ChokidarWatcher implements Watcher {
  readonly #options: ChokidarWatcherOptions;
  readonly #hints = new Emitter<WatchHint>();
  readonly #notices = new Emitter<string>();
  #watcher: FSWatcher | undefined;
  readonly onHint = this.#hints.event;
  readonly onNotice = this.#notices.event;

  constructor(options: ChokidarWatcherOptions) {
    this.#options = options;
  }

  async start(signal?: AbortSignal): Promise<void> {
    const { root, rules, pollMs } = this.#options;
    const relativeOf = (path: string): string => relative(root, path).split(sep).join('/');
    const watcher = watch(root, {
      persistent: true,
      ignoreInitial: true,
      followSymlinks: false,
      usePolling: pollMs !== undefined,
      ...(pollMs === undefined ? {} : { interval: pollMs, binaryInterval: pollMs }),
      ignored: (path, stats) => {
        const name = relativeOf(path);
        return name !== '' && stats !== undefined && rules.excluded(name, stats.isDirectory());
      },
    });
    this.#watcher = watcher;
    watcher.on('all', (_, path) => {
      const name = relativeOf(path);
      if (name === '') this.#hints.fire({ kind: 'missed', reason: 'The folder itself changed' });
      else this.#hints.fire({ kind: 'path', path: name });
    });
    watcher.on('error', () => this.#hints.fire({ kind: 'missed', reason: 'The watcher reported an error' }));
    await new Promise<void>((resolve, reject) => {
      watcher.once('ready', resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher?.close();
    this.#hints[Symbol.dispose]();
    this.#notices[Symbol.dispose]();
  }
}
