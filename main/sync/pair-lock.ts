import { hostname } from 'node:os';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { SlipwayError } from '../base/errors.ts';
import { createStateFile, onStateDisk } from '../base/state-files.ts';
import type { AncestorFiles } from './ancestor-files.ts';
import type { PairIdentity } from './pair.ts';

interface LockContent {
  readonly pid: number;
  readonly host: string;
  /** When that process began, so that another one with its number is not taken for it. */
  readonly started: string;
}

/** How often a lock is taken over from a dead process before giving up: others may be trying too. */
const attempts = 5;

/** Claims a pair for this process. Throws `sync.pair-in-use` while another live process has it. */
export async function lockPair(
  files: AncestorFiles,
  folder: string,
  identity: PairIdentity,
): Promise<AsyncDisposable> {
  const path = join(folder, 'lock');
  await onStateDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  const own: LockContent = { pid: process.pid, host: hostname(), started: await startOf(files, process.pid) };
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createStateFile(path, JSON.stringify(own))) {
      return { [Symbol.asyncDispose]: () => files.remove(path) };
    }
    const holder = parse(await files.read(path));
    if (holder !== undefined && (await isAlive(files, holder))) throw inUse(holder, identity);
    await files.remove(path);
  }
  throw inUse(undefined, identity);
}

function parse(content: Buffer | undefined): LockContent | undefined {
  try {
    const value = JSON.parse(content?.toString() ?? '') as LockContent;
    return typeof value.pid === 'number' && typeof value.host === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A lock of another machine (a shared home) counts as alive: only that machine could tell. */
async function isAlive(files: AncestorFiles, holder: LockContent): Promise<boolean> {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return holder.started === '' || (await startOf(files, holder.pid)) === holder.started;
}

/** Start time of a process in clock ticks where the system tells (Linux), else empty. */
async function startOf(files: AncestorFiles, pid: number): Promise<string> {
  const text = (await files.read(`/proc/${pid}/stat`).catch(() => undefined))?.toString();
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function inUse(holder: LockContent | undefined, { localPath, remotePath }: PairIdentity): SlipwayError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new SlipwayError({
    code: 'sync.pair-in-use',
    message: `${localPath} and ${remotePath} are already kept in sync by ${who}`,
    cause: 'Two processes on one pair would undo each other.',
    next: holder === undefined ? 'Try again.' : `Stop process ${holder.pid} first.`,
  });
}
