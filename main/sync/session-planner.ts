import type { Conflict, FileEntry, Side } from './change.ts';
import { sameStat } from './compare.ts';
import { needsConsent } from './execution-consent.ts';
import { outdatedHolds } from './outdated-holds.ts';
import { pathsOf } from './path-locks.ts';
import { NameTwins, hasTwins } from './name-twins.ts';
import type { Direction } from './pair-settings.ts';
import { anyNames, guardEntry } from './paths.ts';
import type { Guard, Reconciliation } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import type { SessionDispatch } from './session-dispatch.ts';
import type { SessionIntake } from './session-intake.ts';
import type { SessionState } from './session-state.ts';
import { raceRetryLimitMs, raceRetryMs } from './session-state.ts';
import type { Strategy } from './strategy.ts';

/** Decides about what is new: asks the pure core, keeps what it found out, and hands its steps to the dispatch. */
export class SessionPlanner {
  readonly #s: SessionState;
  readonly #intake: SessionIntake;
  readonly #dispatch: SessionDispatch;
  /** Of the trees as they are during one plan; undefined where the laptop takes every name. */
  #twins: NameTwins | undefined;

  constructor(state: SessionState, intake: SessionIntake, dispatch: SessionDispatch) {
    this.#s = state;
    this.#intake = intake;
    this.#dispatch = dispatch;
  }

  /** Decides about what is new and starts what follows; false when nothing could be decided now. */
  async reconcile(): Promise<boolean> {
    const { dirty, setState } = this.#s.options;
    const free = [...dirty].filter(
      (path) => !this.#s.locks.blocks(path, true) && !this.#s.retries.waits(path),
    );
    if (free.length === 0) return false;
    this.#forgetMoves();
    if (this.#s.compared) setState({ kind: 'syncing', remaining: dirty.size });
    await this.#hashMoved('local', free);
    await this.#hashMoved('remote', free);
    const paths = free.filter((path) => !this.#movesOn(path));
    if (paths.length === 0) return false;
    for (const path of paths) dirty.delete(path);
    const plan = this.#plan(paths);
    this.#recordPlan(paths, plan);
    if (plan.needsDigest.local.length + plan.needsDigest.remote.length > 0) this.#dispatch.startHashing(plan);
    else {
      for (const path of plan.waiting) {
        this.#s.retries.again(path, this.#s.now, raceRetryMs, raceRetryLimitMs);
        dirty.add(path);
      }
    }
    const up = this.#dispatch.startSide('remote', plan.toRemote);
    const down = this.#dispatch.startSide('local', plan.toLocal);
    return up || down;
  }

  #plan(paths: readonly string[]): Reconciliation {
    const { ancestor, localState, localNames, rules, remote } = this.#s.options;
    const { state } = ancestor;
    if (hasTwins(localNames)) this.#twins = new NameTwins(localNames, this.#s.remote.tree, localState.tree);
    return reconcile({
      ancestor: state.agreed,
      local: localState.tree,
      remote: this.#s.remote.tree,
      paths,
      rules,
      strategy: lastingStrategy(this.#s.options.strategy, rules.direction, state.facts.initialDone),
      initial: !state.facts.initialDone,
      rootChanged: this.#s.restoring,
      seed: state.seed,
      differences: state.differences,
      chosen: this.#s.chosen,
      modes: this.#s.modes,
      clockOffsetMs: remote.clockOffsetMs,
      nowMs: this.#s.options.clock.now(),
      unreadable: { local: localState.unreadable, remote: this.#s.remote.unreadable },
      mayRename: (path) => this.#s.retries.attempts(path) < renameTries,
      guardLocal: this.#guardLocal,
      guardRemote: guardRemote,
    });
  }

  readonly #guardLocal: Guard = (path, entry) => {
    const { consent, localNames, ancestor } = this.#s.options;
    const twin = this.#twins?.keptInstead(path);
    if (twin !== undefined)
      return { kind: 'refuse', message: `Not synced: ${twin} is the same name on this machine` };
    const verdict = guardEntry(path, entry, localNames);
    if (verdict.kind !== 'allow' || consent === undefined) return verdict;
    if (!needsConsent(path, entry, consent, this.#s.remote.tree)) return verdict;
    // Another question about the path may have been answered; this one was not.
    if (ancestor.state.facts.approved.includes(path)) return verdict;
    return { kind: 'consent', message: 'Programs on this machine would execute it' };
  };

  /**
   * Content that moved on one side is recognised by its digest. It is known where a folder was renamed and the files
   * in it were not touched; else only files of a size that just vanished are read for it.
   */
  async #hashMoved(side: Side, paths: readonly string[]): Promise<void> {
    const { agreed, agreedRemote } = this.#s.options.ancestor.state;
    const moving = this.#s.moving[side];
    const tree = this.#s.state(side).tree;
    const past = side === 'local' ? agreed : agreedRemote;
    const sizes = new Set<number>();
    const gone = new Map<bigint, FileEntry>();
    for (const path of paths) {
      const entry = past.get(path);
      if (entry?.kind !== 'file' || entry.size === 0 || tree.get(path) !== undefined) continue;
      sizes.add(entry.size);
      gone.set(entry.inode, entry);
    }
    if (sizes.size === 0 && moving.none) return;
    const candidates: string[] = [];
    for (const path of paths) {
      const entry = tree.get(path);
      if (entry?.kind !== 'file' || entry.digest !== undefined || agreed.get(path) !== undefined) continue;
      const before = gone.get(entry.inode);
      const same = before !== undefined && sameStat(before, entry);
      const digest = (same ? before.digest : undefined) ?? moving.digestOf(entry);
      if (digest !== undefined) this.#s.state(side).set(path, { ...entry, digest });
      else if (sizes.has(entry.size) || moving.hasSize(entry.size)) candidates.push(path);
    }
    if (candidates.length === 0) return;
    const found = await this.#intake.inspect(side, candidates);
    for (const [path, entry] of found.entries)
      if (entry?.kind === 'file') this.#s.state(side).set(path, entry);
  }

  #forgetMoves(): void {
    const { moving, locks, now, options, remoteLate, remoteRecheck } = this.#s;
    moving.local.forget(now, () => !options.localHints.some((path) => locks.blocks(path, true)));
    moving.remote.forget(now, () => remoteLate.size + remoteRecheck.size === 0);
  }

  /** A new file whose content is just being moved over there: it moved on, and so will what is there. */
  #movesOn(path: string): boolean {
    const { moving, options } = this.#s;
    if (moving.local.none && moving.remote.none) return false;
    if (options.ancestor.state.agreed.get(path) !== undefined) return false;
    const [local, remote] = [options.localState.tree.get(path), this.#s.remote.tree.get(path)];
    if (local?.kind === 'file' && remote === undefined) return moving.local.has(local.digest);
    return remote?.kind === 'file' && local === undefined && moving.remote.has(remote.digest);
  }

  #recordPlan(paths: readonly string[], plan: Reconciliation): void {
    const { ancestor, emit, holds } = this.#s.options;
    for (const { path, local, remote } of plan.ancestorUpdates) {
      this.#s.agree(path, local, remote);
      this.#s.settled(path);
      this.#s.shareDigests(path, local, remote);
    }
    for (const path of paths) this.#s.behindHolds.delete(path);
    for (const { path, difference } of plan.untracked) ancestor.differ(path, difference);
    const outdated = outdatedHolds(paths, plan, holds);
    for (const hold of holds.drop(outdated)) this.#s.release(hold);
    for (const path of outdated) this.#s.lookAround(path);
    for (const conflict of plan.conflicts) this.#holdConflict(conflict);
    this.#holdConsent(plan.consent);
    this.#noteDone(paths, plan);
    for (const { side, path, message } of plan.problems) {
      if (this.#s.tell(`${side} ${path} ${message}`))
        emit({ kind: 'problem', side, problem: { path, message } });
    }
  }

  /** Where a look leaves nothing to do, earlier trouble is over and the new root is as good as the old one. */
  #noteDone(paths: readonly string[], plan: Reconciliation): void {
    const open = new Set(plan.waiting);
    const conflicts = new Set(plan.conflicts.map(({ path }) => path));
    for (const change of [...plan.toLocal, ...plan.toRemote])
      for (const path of pathsOf(change)) open.add(path);
    for (const path of paths) {
      if (open.has(path)) continue;
      if (!conflicts.has(path)) this.#s.restoring.delete(path);
      this.#s.withoutSpace.delete(path);
      this.#s.retries.clear(path);
    }
  }

  #holdConflict(conflict: Conflict): void {
    const { holds, emit, rules } = this.#s.options;
    const { path } = conflict;
    if (holds.of(path) !== undefined) return;
    const reason = conflictReasons[conflict.reason];
    const isFolder = conflict.local?.kind === 'directory' || conflict.remote?.kind === 'directory';
    // What never travels one way is no choice either.
    const choices = [
      ...(rules.uploadExcluded(path, isFolder) ? [] : (['local'] as const)),
      ...(rules.downloadExcluded(path, isFolder) ? [] : (['remote'] as const)),
      'leave' as const,
    ];
    const hold = holds.add('conflict', undefined, reason, [path], choices);
    emit({ kind: 'conflict', conflict, winner: 'none' });
    emit({ kind: 'held', held: hold });
  }

  #holdConsent(consent: Reconciliation['consent']): void {
    const { holds, emit } = this.#s.options;
    const fresh = consent.map(({ path }) => path).filter((path) => holds.of(path) === undefined);
    if (fresh.length === 0) return;
    const reason = `The container sent ${fresh.length === 1 ? 'a file' : `${fresh.length} files`} that programs on this machine would execute`;
    emit({ kind: 'held', held: holds.add('consent', 'local', reason, fresh, ['apply', 'leave']) });
  }
}

/** Where only one side ever receives, what the other side changes after the first sync is what counts. */
export function lastingStrategy(strategy: Strategy, direction: Direction, initialDone: boolean): Strategy {
  if (!initialDone || direction === 'both') return strategy;
  return direction === 'up' ? 'preferLocal' : 'preferRemote';
}

/** Something that nobody sees may be where a file is to be moved to. */
const renameTries = 3;

const conflictReasons: Record<Conflict['reason'], string> = {
  'both-changed': 'Both sides changed it, and the strategy leaves the choice to you',
  'kinds-differ': 'One side has a folder there and the other one does not',
  'clock-unreliable': 'Both sides changed it, and the clocks cannot tell which version is newer',
  'refused-by-rules': 'The rules allow neither direction',
};

const guardRemote: Guard = (path, entry) => guardEntry(path, entry, anyNames);
