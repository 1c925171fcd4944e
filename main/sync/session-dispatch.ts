import type { Change, Side } from './change.ts';
import { otherSide } from './change.ts';
import { PathUsers, pathsOf, splitWaiting } from './path-locks.ts';
import { checkPlan, deletesContent } from './plan-safety.ts';
import type { Reconciliation } from './reconcile.ts';
import type { SessionIntake } from './session-intake.ts';
import type { SessionOutcomes } from './session-outcomes.ts';
import type { SessionState } from './session-state.ts';
import { raceRetryLimitMs, raceRetryMs, refusedRetryLimitMs, refusedRetryMs } from './session-state.ts';
import type { SessionTasks } from './session-tasks.ts';
import type { SessionTrash } from './session-trash.ts';
import { namesOf } from './session-trash.ts';
import { transfer } from './transfer.ts';

/** A file that changes while being read is sent as read after so many tries. */
const changingAttempts = 6;

interface DispatchParts {
  readonly intake: SessionIntake;
  readonly outcomes: SessionOutcomes;
  readonly tasks: SessionTasks;
  readonly trash: SessionTrash;
}

/** Starts what a plan says, as far as it may go now; the rest waits, or is held for somebody's choice. */
export class SessionDispatch {
  readonly #s: SessionState;
  readonly #intake: SessionIntake;
  readonly #outcomes: SessionOutcomes;
  readonly #tasks: SessionTasks;
  readonly #trash: SessionTrash;

  constructor(state: SessionState, parts: DispatchParts) {
    this.#s = state;
    this.#intake = parts.intake;
    this.#outcomes = parts.outcomes;
    this.#tasks = parts.tasks;
    this.#trash = parts.trash;
  }

  /** Starts the part of a plan that may go now; the rest stays dirty or held. */
  startSide(side: Side, changes: readonly Change[]): boolean {
    if (!changes.some((change) => change.kind === 'delete')) this.#s.deletes[side].reset();
    if (changes.length === 0) return false;
    const { holds, dirty } = this.#s.options;
    const held = splitWaiting(changes, (change) =>
      pathsOf(change).some((path) => holds.of(path) !== undefined && !holds.isAllowed(path, side)),
    );
    for (const path of held.waiting.flatMap(pathsOf))
      if (holds.of(path) === undefined) this.#s.behindHolds.add(path);
    const settling = this.#s.deletes[side];
    const deletions = held.ready.filter((change) => change.kind === 'delete').map(({ path }) => path);
    settling.see(deletions, this.#s.now, this.#s.state(side).tree.size);
    if (this.#hasNewsOf(otherSide(side))) settling.stir(this.#s.now);
    const quiet = settling.settled(this.#s.now);
    const moved = this.#movedInodes(otherSide(side), held.ready);
    const split = splitWaiting(
      held.ready,
      (change) =>
        (change.kind === 'delete' && !quiet) ||
        (change.kind === 'put' && change.source.links === 1 && moved.has(change.source.inode)) ||
        pathsOf(change).some((path) => this.#s.locks.blocks(path, true) || this.#s.retries.waits(path)),
    );
    for (const change of split.waiting) for (const path of pathsOf(change)) dirty.add(path);
    if (quiet) settling.reset();
    const ready = this.#brake(side, split.ready);
    if (ready.length === 0) return false;
    this.#startTransfer(side, ready);
    return true;
  }

  /** A file with one name that seems to be at two has moved on from the one to which it is just being moved there. */
  #movedInodes(source: Side, changes: readonly Change[]): ReadonlySet<bigint> {
    const { tree } = this.#s.state(source);
    const inodes = new Set<bigint>();
    for (const change of changes) {
      const entry = change.kind === 'rename' ? tree.get(change.to) : undefined;
      if (entry?.kind === 'file' && entry.inode !== 0n) inodes.add(entry.inode);
    }
    return inodes;
  }

  /** Something new came up on a side that was not looked at yet: it may be the other end of a move. */
  #hasNewsOf(side: Side): boolean {
    const { tree } = this.#s.state(side);
    if (side === 'local')
      return this.#s.options.localHints.some(
        (path) => tree.get(path) === undefined && !this.#s.locks.blocks(path, true),
      );
    for (const path of this.#s.remoteRecheck) if (tree.get(path) === undefined) return true;
    return false;
  }

  startHashing(plan: Reconciliation): void {
    const paths = [...plan.needsDigest.local, ...plan.needsDigest.remote];
    for (const path of paths) this.#s.locks.add(path);
    const take = async (side: Side, asked: readonly string[]): Promise<void> => {
      if (asked.length === 0) return;
      const found = await this.#intake.inspect(side, asked);
      for (const [path, entry] of found.entries) {
        if (entry?.kind === 'file' && entry.digest === undefined)
          this.#s.retries.again(path, this.#s.now, raceRetryMs, raceRetryLimitMs);
        if (entry === undefined) this.#s.state(side).merge(path, entry);
        else this.#s.state(side).set(path, entry);
        if (entry?.kind === 'file') this.#s.watchRacy(side, path, entry);
        if (side === 'remote') this.#s.learnSeed(path, entry);
      }
      for (const { path, message } of found.problems) {
        if (this.#s.retries.again(path, this.#s.now, refusedRetryMs, refusedRetryLimitMs, message)) {
          this.#s.options.emit({ kind: 'problem', side, problem: { path, message } });
        }
      }
    };
    this.#tasks.track(
      async () => {
        await Promise.all([take('local', plan.needsDigest.local), take('remote', plan.needsDigest.remote)]);
      },
      () => {
        for (const path of paths) this.#s.unlock(path);
        for (const path of plan.waiting) this.#s.options.dirty.add(path);
      },
    );
  }

  #brake(side: Side, changes: readonly Change[]): readonly Change[] {
    const { brake, holds, ancestor, emit, trash } = this.#s.options;
    const source = this.#s.state(otherSide(side)).tree;
    const free = changes.filter((change) => !holds.isAllowed(change.path, side));
    const deleted = new Set(free.filter(deletesContent).map(({ path }) => path));
    const recent = this.#s.recentDeletions[side];
    const facts = {
      files: this.#s.state(side).tree.files,
      recentlyDeleted: recent.besides(deleted, this.#s.now, (path) => source.get(path) !== undefined),
      agreed: ancestor.state.agreed.size,
      sourceEmpty: source.size === 0,
      sourceHollow: source.isHollow,
      trashCapBytes: trash.capBytes,
    };
    recent.note(deleted, this.#s.now);
    const blocked = new Set<string>();
    for (const verdict of checkPlan(side, free, facts, brake)) {
      const paths = verdict.paths.filter((path) => !blocked.has(path));
      if (paths.length === 0) continue;
      emit({
        kind: 'held',
        held: holds.add(verdict.kind, side, verdict.reason, paths, ['apply', 'restore', 'leave']),
      });
      for (const path of paths) blocked.add(path);
    }
    const { ready, waiting } = splitWaiting(changes, (change) => blocked.has(change.path));
    for (const change of waiting) if (!blocked.has(change.path)) this.#s.options.dirty.add(change.path);
    this.#announceFirstDeletions(side, ready);
    if (side === 'remote') this.#trash.noticeUnkept(ready);
    return ready;
  }

  #announceFirstDeletions(side: Side, changes: readonly Change[]): void {
    if (side !== 'remote') return;
    const paths = changes
      .filter((change) => change.kind === 'delete' && change.why === 'first-sync')
      .map(({ path }) => path);
    if (paths.length === 0) return;
    const count = paths.length === 1 ? '1 path' : `${paths.length} paths`;
    this.#s.options.emit({
      kind: 'notice',
      message: `First sync: ${count} only in the container will be deleted there: ${namesOf(paths)}`,
    });
  }

  #startTransfer(side: Side, changes: readonly Change[]): void {
    const open = new Set(changes);
    const users = new PathUsers(changes);
    for (const change of changes) for (const path of pathsOf(change)) this.#s.locks.add(path);
    const acceptChanging = new Set(
      changes
        .filter((change) => this.#s.retries.attempts(change.path) >= changingAttempts)
        .map(({ path }) => path),
    );
    const moves = this.#noteMoves(otherSide(side), changes);
    this.#tasks.track(
      async () => {
        try {
          await transfer({
            side,
            source: this.#s.endpoint(otherSide(side)),
            target: this.#s.endpoint(side),
            trash: this.#s.options.trash,
            changes,
            acceptChanging,
            signal: this.#s.abort.signal,
            onOutcome: (change, outcome, sent) => {
              open.delete(change);
              this.#outcomes.onOutcome(side, change, outcome, sent);
              for (const path of pathsOf(change)) if (users.leave(path)) this.#s.unlock(path);
              if (change.kind === 'rename') moves.over();
            },
          });
        } finally {
          await this.#trash.keepWithinCap();
        }
      },
      () => {
        for (const change of changes) for (const path of pathsOf(change)) this.#s.unlock(path);
        for (const change of open) for (const path of pathsOf(change)) this.#s.options.dirty.add(path);
        moves.end();
      },
    );
  }

  /** Remembers what is moved by a plan until the last of its moves is over. */
  #noteMoves(
    source: Side,
    changes: readonly Change[],
  ): { readonly over: () => void; readonly end: () => void } {
    const { tree } = this.#s.state(source);
    const racy = this.#s.racy[source];
    const renames = changes.filter((change) => change.kind === 'rename');
    const over = this.#s.moving[source].begin(
      renames.flatMap(({ to }) => {
        const entry = tree.get(to);
        return entry?.kind === 'file' ? [{ entry, trusted: !racy.has(to) }] : [];
      }),
    );
    let left = renames.length;
    return {
      over: () => {
        if (--left === 0) over(this.#s.now);
      },
      end: () => over(this.#s.now),
    };
  }
}
