import type { SlipwayError } from '../base/errors.ts';
import type { Change, FileEntry, Side } from './change.ts';
import type { ModePolicy } from './compare.ts';
import { compareEntries, modePolicy, sameStat } from './compare.ts';
import { DeleteSettling, RecentDeletions } from './delete-settling.ts';
import type { Endpoint } from './endpoint.ts';
import type { SyncEngineOptions } from './engine.ts';
import type { Entry } from './entry.ts';
import type { HintQueue } from './hint-queue.ts';
import type { Hold, HoldRegistry } from './hold-registry.ts';
import { LateNews } from './late-news.ts';
import { MovingFiles } from './moving-files.ts';
import { PathLocks, pathsOf } from './path-locks.ts';
import { isCoarse, isRacy, racyMs } from './racy.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { SideState } from './side-state.ts';
import type { SyncEvent, SyncState } from './sync-event.ts';
import type { Tree } from './tree.ts';
import { ancestorsOf } from './tree.ts';
import type { Wake } from './wake.ts';

export interface EngineSessionOptions extends SyncEngineOptions {
  readonly remote: Endpoint;
  readonly localState: SideState;
  readonly localHints: HintQueue;
  readonly dirty: Set<string>;
  readonly holds: HoldRegistry;
  readonly wake: Wake;
  readonly signal: AbortSignal;
  readonly emit: (event: SyncEvent) => void;
  readonly setState: (state: SyncState) => void;
  readonly scanLocalIfNeeded: () => Promise<void>;
}

/** Pause before another try, in milliseconds: after a race, and after the system refused. */
export const raceRetryMs = 20;
export const raceRetryLimitMs = 5000;
export const refusedRetryMs = 5000;
export const refusedRetryLimitMs = 60_000;
/** Sentences that are remembered so that they are told once. */
const toldLimit = 10_000;

/** What the parts of one connection's session know together, and the small steps that several of them take. */
export class SessionState {
  readonly options: EngineSessionOptions;
  readonly remote: SideState;
  readonly locks = new PathLocks();
  readonly retries = new RetrySchedule();
  readonly chosen = new Map<string, Side>();
  readonly abort = new AbortController();
  readonly deletes = { local: new DeleteSettling(), remote: new DeleteSettling() };
  readonly recentDeletions = { local: new RecentDeletions(), remote: new RecentDeletions() };
  /** Remote paths to inspect: something was reported while they were being changed. */
  readonly remoteRecheck = new Set<string>();
  readonly remoteLate = new LateNews();
  /** Files that may have changed without their times showing it, with when to read them again. */
  readonly racy = { local: new Map<string, number>(), remote: new Map<string, number>() };
  /** By the side on which they were moved. */
  readonly moving = { local: new MovingFiles(), remote: new MovingFiles() };
  readonly modes: ModePolicy;
  readonly #told = new Set<string>();
  remoteOverflow = true;
  /** Paths not yet compared with a root that is another one than the ancestor's. */
  readonly restoring = new Set<string>();
  /** Paths that are not held themselves, but whose step needs one that is: looked at again when a hold is over. */
  readonly behindHolds = new Set<string>();
  rootChanged = false;
  newSeed: Tree | undefined;
  /** Why the connection is gone; undefined while it stands. */
  lost: SlipwayError | undefined;
  #bug: { readonly error: unknown } | undefined;
  /** Paths for which one side had no space, with what was said. */
  readonly withoutSpace = new Map<string, SlipwayError>();
  /** The first comparison of this connection is done. */
  compared = false;

  constructor(options: EngineSessionOptions) {
    this.options = options;
    const { remote, local, ancestor, rules } = options;
    this.remote = new SideState(
      rules,
      (path) => ancestor.state.agreedRemote.get(path),
      (path) => options.dirty.add(path),
      (path) => this.lookAround(path),
    );
    const compared = local.umask !== undefined && options.keepModes !== true;
    this.modes = modePolicy(local.umask ?? 0o022, remote.umask ?? 0o022, compared);
  }

  /** Ends the session with an error that nobody expected: {@link throwIfCrashed} throws it to whoever runs the engine. */
  crash(error: unknown): void {
    this.#bug ??= { error };
    this.abort.abort(new DOMException('The session failed', 'AbortError'));
    this.options.wake.fire();
  }

  get crashed(): boolean {
    return this.#bug !== undefined;
  }

  throwIfCrashed(): void {
    if (this.#bug !== undefined) throw this.#bug.error;
  }

  get now(): number {
    return this.options.clock.monotonic();
  }

  tell(key: string): boolean {
    if (this.#told.has(key)) return false;
    if (this.#told.size >= toldLimit) this.#told.clear();
    this.#told.add(key);
    return true;
  }

  state(side: Side): SideState {
    return side === 'local' ? this.options.localState : this.remote;
  }

  endpoint(side: Side): Endpoint {
    return side === 'local' ? this.options.local : this.options.remote;
  }

  /** A step on the path is over: what was reported of it meanwhile is looked at unless it is just what the step did. */
  unlock(path: string): void {
    this.locks.delete(path);
    this.settleLate(path);
    this.options.wake.fire();
  }

  /** Takes in what was reported of a path during a step, once nothing is under way there. */
  settleLate(path: string): void {
    if (!this.remoteLate.has(path) || this.locks.blocks(path, true)) return;
    const differs = this.remoteLate.takeDiffering(path, this.remote.tree.get(path));
    if (differs || this.remote.unreadable.has(path)) this.remoteRecheck.add(path);
  }

  /** Both sides are one at this path: nothing of its history matters any more. */
  settled(path: string): void {
    const { ancestor, holds } = this.options;
    ancestor.differ(path, undefined);
    this.retries.clear(path);
    this.chosen.delete(path);
    this.restoring.delete(path);
    this.withoutSpace.delete(path);
    holds.forgetAllowed(path);
  }

  /** Both sides hold this now; undefined: nothing is agreed on any more. */
  agree(path: string, local: Entry | undefined, remote: Entry | undefined): void {
    const { ancestor } = this.options;
    ancestor.agree(path, this.#untrusted('local', local), this.#untrusted('remote', remote));
  }

  agreeIfSame(path: string): void {
    const [local, remote] = [this.options.localState.tree.get(path), this.remote.tree.get(path)];
    const agree = compareEntries(local, remote, this.modes.mask) === 'same';
    this.agree(path, agree ? local : undefined, agree ? remote : undefined);
    if (agree) this.settled(path);
    else this.options.dirty.add(path);
  }

  shareDigests(path: string, local: Entry | undefined, remote: Entry | undefined): void {
    if (local?.kind === 'file') this.options.localState.set(path, local);
    if (remote?.kind === 'file') this.remote.set(path, remote);
    this.learnSeed(path, remote);
  }

  /** The image's file was read: from now on its digest tells it from an edit, in another container too. */
  learnSeed(path: string, entry: Entry | undefined): void {
    const seed = this.options.ancestor.state.seed.get(path);
    if (entry?.kind !== 'file' || entry.digest === undefined) return;
    if (seed?.kind === 'file' && seed.digest === undefined && sameStat(seed, entry)) {
      this.options.ancestor.learnSeed(path, entry);
    }
  }

  /** Folders around a held path, and what is below it, waited with it. */
  lookAround(path: string): void {
    const { localState, ancestor, dirty } = this.options;
    for (const tree of [localState.tree, this.remote.tree, ancestor.state.agreed]) {
      for (const child of tree.descendants(path)) dirty.add(child);
    }
    for (const folder of ancestorsOf(path)) dirty.add(folder);
    dirty.add(path);
    for (const behind of this.behindHolds) dirty.add(behind);
    this.behindHolds.clear();
  }

  /** What a hold was about would not happen any more. */
  release(hold: Hold): void {
    this.options.holds.remove(hold.id);
    this.options.emit({ kind: 'released', id: hold.id });
  }

  /** The target changed right after our step: what is there now has to be read. */
  lookLater(side: Side, path: string, now: Entry | undefined): Entry | undefined {
    this.racy[side].set(path, this.now);
    return now?.kind === 'file' ? { ...now, digest: undefined } : now;
  }

  watchRacy(side: Side, path: string, entry: FileEntry): void {
    const offset = side === 'remote' ? (this.options.remote.clockOffsetMs ?? 0) : 0;
    if (isRacy(entry, this.options.clock.now() + offset)) this.racy[side].set(path, this.now + racyMs(entry));
  }

  /**
   * What is remembered of a file that may have changed without its times showing it: without a time of change, so
   * that a later start does not take its digest for known.
   */
  #untrusted(side: Side, entry: Entry | undefined): Entry | undefined {
    if (entry?.kind !== 'file') return entry;
    const offset = side === 'remote' ? (this.options.remote.clockOffsetMs ?? 0) : 0;
    const racy = isRacy(entry, this.options.clock.now() + offset) && (side === 'local' || isCoarse(entry));
    return racy ? { ...entry, ctimeNs: 0n } : entry;
  }

  /** The connection ends before such files were read again: the next one reads them. */
  dropRacyDigests(): void {
    const { localState } = this.options;
    for (const path of this.racy.local.keys()) {
      const entry = localState.tree.get(path);
      if (entry?.kind === 'file') localState.set(path, { ...entry, digest: undefined });
    }
  }

  /** The same for a file that a step of ours left there: its time of change is never older than the step. */
  watchCoarse(side: Side, path: string, entry: Entry | undefined): void {
    if (entry?.kind === 'file' && isCoarse(entry)) this.watchRacy(side, path, entry);
  }

  /** Looks at the path on both sides and decides anew. */
  lookAgain(change: Change, firstMs: number, limitMs: number): void {
    for (const path of pathsOf(change)) {
      this.retries.again(path, this.now, firstMs, limitMs);
      this.options.localHints.add(path, this.now);
      this.remoteRecheck.add(path);
    }
  }

  refuse(side: Side, change: Change, message: string): void {
    for (const path of pathsOf(change)) {
      const fresh = this.retries.again(path, this.now, refusedRetryMs, refusedRetryLimitMs, message);
      if (fresh) this.options.emit({ kind: 'problem', side, problem: { path, message } });
    }
  }
}
