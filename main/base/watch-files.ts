import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Clock } from './clock.ts';

export interface WatchFilesOptions {
  /** Files that may be missing, and so may their folders. */
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** Called after a file was written, made, replaced or removed, when it has been quiet for a moment. */
  readonly onChange: () => void;
}

/** How long after its last change a file is told: editors and sign-in tools write in several steps. */
export const settleMs = 250;
/** How often the files are looked at besides: shares and folders that were missing tell nothing by themselves. */
export const sweepMs = 5_000;

/** Watches a few files until disposed. Reads none of them; one change may be told twice. */
export function watchFiles(options: WatchFilesOptions): AsyncDisposable {
  const { clock, onChange } = options;
  const paths = options.paths.map((path) => resolve(path));
  const watcher = watch(paths, { ignoreInitial: true });
  let ended = false;
  let settling: Disposable | undefined;
  let sweeping: Disposable | undefined;
  let stamps: string | undefined;
  const settle = (): void => {
    settling?.[Symbol.dispose]();
    if (!ended) settling = clock.timer(settleMs, onChange);
  };
  const sweep = async (): Promise<void> => {
    const now = (await Promise.all(paths.map(stampOf))).join('\n');
    if (ended) return;
    if (stamps !== undefined && stamps !== now) settle();
    stamps = now;
    sweeping = clock.timer(sweepMs, () => void sweep());
  };
  watcher.on('all', settle);
  // A folder that may not be watched is still looked at now and then.
  watcher.on('error', () => undefined);
  void sweep();
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      settling?.[Symbol.dispose]();
      sweeping?.[Symbol.dispose]();
      await watcher.close();
    },
  };
}

async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return [mtimeMs, ctimeMs, size, ino].join(' ');
  } catch {
    return 'none';
  }
}
