import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from './clock.ts';
import type { ExpectedFile } from './trees.ts';

/** How often is looked, and for how long. */
const lookMs = 1;
const withinMs = 120_000;

/** Waits until something holds, looking each millisecond; resolves with when (monotonic milliseconds). */
export async function until(what: string, holds: () => boolean, signal: AbortSignal): Promise<number> {
  const end = monotonicMs() + withinMs;
  while (!holds()) {
    if (monotonicMs() > end) throw new Error(`Not within ${withinMs / 1000} s: ${what}`);
    await sleep(lookMs, undefined, { signal });
  }
  return monotonicMs();
}

/** Waits until one file has exactly this content; resolves with when. It is read only when its times or its number changed. */
export async function contentArrives(path: string, content: Buffer, signal: AbortSignal): Promise<number> {
  let seen: BigIntStats | undefined;
  const holds = (): boolean => {
    const now = stat(path);
    if (now === undefined || Number(now.size) !== content.length || isSame(now, seen)) return false;
    seen = now;
    return readFileSync(path).equals(content);
  };
  return until(`the content of ${path}`, holds, signal);
}

/**
 * Waits until all files are there with their new content; resolves with when. A file counts as new when it has the
 * size and another number or time than it had when this was made; all contents are compared after the clock stopped.
 */
export function allArrive(
  root: string,
  files: readonly ExpectedFile[],
): (signal: AbortSignal) => Promise<number> {
  const before = files.map(({ path }) => stat(join(root, path)));
  return async (signal) => {
    let right = 0;
    const at = await until(
      `${files.length} files below ${root}`,
      () => {
        for (; right < files.length; right++) {
          const file = files[right];
          if (file === undefined) break;
          const now = stat(join(root, file.path));
          if (now === undefined || Number(now.size) !== file.content.length || isSame(now, before[right]))
            return false;
        }
        return true;
      },
      signal,
    );
    for (const { path, content } of files) {
      if (!readFileSync(join(root, path)).equals(content)) throw new Error(`${path} has another content`);
    }
    return at;
  };
}

function stat(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder on the way is being replaced
  }
}

function isSame(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return a.ino === b?.ino && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size;
}
