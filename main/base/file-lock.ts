import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Clock } from './clock.ts';
import { SlipwayError } from './errors.ts';
import type { ProcessMarks } from './process-marks.ts';
import { createStateFile, onStateDisk } from './state-files.ts';

/** How long a lock is waited for, and how often it is looked at. */
export const lockPatienceMs = 5_000;
const lookMs = 15;
/**
 * A lock is held for a few milliseconds. One that is this old was left behind where its process cannot be asked about,
 * if it also stayed the same while it was watched: a machine that was asleep makes every lock old.
 */
export const leftBehindMs = 30_000;
const watchedMs = 1_000;
const maximumLength = 4096;

export interface FileLockOptions {
  /** The lock itself, beside the file that it is for. */
  readonly path: string;
  /** What it is for, as the subject of a sentence: `The settings`. */
  readonly what: string;
  readonly clock: Clock;
  readonly processes: ProcessMarks;
}

/** A lock as it was found. */
export interface FoundLock {
  readonly text: string;
  /** By the file's own time. */
  readonly ageMs: number;
  /** For how long this process has seen the very same one. */
  readonly watchedMs: number;
}

/**
 * Runs an action while no other process runs one under the same lock. One that was left behind is taken away; one that
 * is held is waited for, and then it rejects with `disk.state-locked`. Not for one process twice at a time.
 */
export async function withFileLock<Result>(
  options: FileLockOptions,
  action: () => Promise<Result>,
): Promise<Result> {
  const { path, clock, processes } = options;
  const own = JSON.stringify({
    token: randomBytes(12).toString('hex'),
    pid: process.pid,
    host: hostname(),
    ...(processes.own === undefined ? {} : { mark: processes.own }),
  });
  await onStateDisk(path, () => mkdir(dirname(path), { recursive: true, mode: 0o700 }));
  const begun = clock.monotonic();
  let seen: { readonly text: string; readonly since: number } | undefined;
  while (!(await createStateFile(path, own))) {
    const found = await look(path);
    const now = clock.monotonic();
    if (found === undefined) continue;
    if (seen?.text !== found.text) seen = { text: found.text, since: now };
    if (isLeftBehind({ ...found, watchedMs: now - seen.since }, processes)) {
      if (await takeAway(path, found.text)) continue;
    }
    if (now - begun >= lockPatienceMs) throw isLocked(options, found.text);
    await clock.sleep(lookMs);
  }
  try {
    return await action();
  } finally {
    // Whoever took it for left behind has one of its own there by now.
    if ((await look(path))?.text === own) await onStateDisk(path, () => rm(path, { force: true }));
  }
}

/** Whether nobody holds a lock any more that is still there. */
export function isLeftBehind(lock: FoundLock, processes: Pick<ProcessMarks, 'hasEnded'>): boolean {
  const { mark } = holderOf(lock.text);
  if (mark !== undefined && processes.hasEnded(mark)) return true;
  return lock.ageMs > leftBehindMs && lock.watchedMs >= watchedMs;
}

function holderOf(text: string): { readonly pid?: number; readonly host?: string; readonly mark?: string } {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const { pid, host, mark } = value ?? {};
    return {
      ...(typeof pid === 'number' ? { pid } : {}),
      ...(typeof host === 'string' ? { host } : {}),
      ...(typeof mark === 'string' ? { mark } : {}),
    };
  } catch {
    // Its holder is just writing it, or ended in the middle of that.
    return {};
  }
}

/** Undefined when it is gone. */
function look(path: string): Promise<Omit<FoundLock, 'watchedMs'> | undefined> {
  return onStateDisk(path, async () => {
    try {
      const { mtimeMs, size } = await stat(path);
      const text = size > maximumLength ? '' : await readFile(path, 'utf8');
      return { text, ageMs: Date.now() - mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/**
 * Removes a lock that was left behind, if it is still that one. Only one process at a time may: otherwise a second one
 * would remove the lock that the first one holds by then.
 */
async function takeAway(path: string, text: string): Promise<boolean> {
  const guard = `${path}.taking`;
  if (!(await createStateFile(guard, ''))) {
    const other = await look(guard);
    if (other !== undefined && other.ageMs > leftBehindMs)
      await onStateDisk(guard, () => rm(guard, { force: true }));
    return false;
  }
  try {
    if ((await look(path))?.text === text) await onStateDisk(path, () => rm(path, { force: true }));
    return true;
  } finally {
    await onStateDisk(guard, () => rm(guard, { force: true }));
  }
}

function isLocked({ path, what }: FileLockOptions, text: string): SlipwayError {
  const { pid, host } = holderOf(text);
  const who =
    pid === undefined ? 'Another process' : `Process ${pid}${host === undefined ? '' : ` on ${host}`}`;
  return new SlipwayError({
    code: 'disk.state-locked',
    message: `${what} cannot be changed now: they are being written elsewhere.`,
    cause: `${who} has held ${path} for ${lockPatienceMs / 1000} seconds.`,
    next: 'Try again; if it stays so, end that process.',
  });
}
