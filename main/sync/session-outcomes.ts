import { SlipwayError } from '../base/errors.ts';
import type { Change, Conflict, FileEntry, Side } from './change.ts';
import { otherSide } from './change.ts';
import { compareEntries } from './compare.ts';
import { loserOf } from './conflict-loser.ts';
import type { ApplyOutcome } from './endpoint.ts';
import type { Entry } from './entry.ts';
import { actionOf } from './file-action.ts';
import { pathsOf } from './path-locks.ts';
import type { SessionIntake } from './session-intake.ts';
import type { SessionState } from './session-state.ts';
import { raceRetryLimitMs, raceRetryMs } from './session-state.ts';
import type { SessionTasks } from './session-tasks.ts';

/** Keeps what each step came to: what both sides agree on now, what is tried again, what is told. */
export class SessionOutcomes {
  readonly #s: SessionState;
  readonly #intake: SessionIntake;
  readonly #tasks: SessionTasks;

  constructor(state: SessionState, intake: SessionIntake, tasks: SessionTasks) {
    this.#s = state;
    this.#intake = intake;
    this.#tasks = tasks;
  }

  onOutcome(side: Side, change: Change, outcome: ApplyOutcome, sent: FileEntry | undefined): void {
    const { emit, dirty } = this.#s.options;
    for (const path of pathsOf(change)) this.#s.withoutSpace.delete(path);
    switch (outcome.kind) {
      case 'applied':
        this.#onApplied(side, change, outcome, sent);
        break;
      case 'mismatch':
        if (this.#isExcluded(change, outcome.now)) this.#s.refuse(side, change, excludedInTheWay);
        else this.#s.lookAgain(change, raceRetryMs, raceRetryLimitMs);
        break;
      case 'not-empty':
        this.#onNotEmpty(side, change);
        break;
      case 'source-changed':
        if (outcome.reason === 'unreadable') this.#s.refuse(otherSide(side), change, outcome.message);
        else this.#s.lookAgain(change, raceRetryMs, raceRetryLimitMs);
        break;
      case 'failed':
        this.#onFailed(side, change, outcome.code, outcome.message);
        break;
      case 'refused':
        this.#s.refuse(side, change, outcome.message);
        break;
    }
    if (outcome.kind !== 'applied') for (const path of pathsOf(change)) dirty.add(path);
    if (outcome.kind === 'applied' && outcome.inPlace && this.#s.tell(`in place ${change.path}`)) {
      emit({
        kind: 'notice',
        message: `${change.path} cannot be replaced by renaming, so it is written in place`,
      });
    }
  }

  #onApplied(
    side: Side,
    change: Change,
    outcome: Extract<ApplyOutcome, { kind: 'applied' }>,
    sent: FileEntry | undefined,
  ): void {
    const target = this.#s.state(side);
    const source = this.#s.state(otherSide(side));
    if (change.kind === 'put' && sent !== undefined) this.#onFilePut(side, change, outcome.now, sent);
    else {
      const path = change.kind === 'rename' ? change.to : change.path;
      if (change.kind === 'rename') {
        target.set(change.path, undefined);
        this.#s.agreeIfSame(change.path);
      }
      const before = change.kind === 'delete' ? undefined : change.expected;
      target.set(path, confirmed(outcome.now, before) ?? this.#s.lookLater(side, path, outcome.now));
      this.#s.agreeIfSame(path);
    }
    const direction = side === 'remote' ? 'up' : 'down';
    const to = change.kind === 'rename' ? change.to : undefined;
    this.#s.options.emit({
      kind: 'file',
      path: change.path,
      direction,
      action: actionOf(change),
      bytes: outcome.bytes,
      ...(change.kind === 'put' ? { size: (sent ?? change.source).size } : {}),
      to,
    });
    // What differed before the first sync was nobody's edit during it: the strategy's choice is no conflict.
    if (change.why !== 'settled' || !this.#s.options.ancestor.state.facts.initialDone) return;
    const loser = loserOf(change);
    if (loser === undefined) return;
    const winning = source.tree.get(change.path);
    const conflict: Conflict = {
      path: change.path,
      local: side === 'local' ? change.expected : winning,
      remote: side === 'remote' ? change.expected : winning,
      reason: 'both-changed',
    };
    this.#s.options.emit({ kind: 'conflict', conflict, winner: otherSide(side), loser });
  }

  /**
   * What was sent is what both sides now agreed on, whatever happened to either file since: a later write on the
   * target shows in its times, and is then a change against this.
   */
  #onFilePut(side: Side, change: Change, now: Entry | undefined, sent: FileEntry): void {
    const { path } = change;
    const found = confirmed(now, sent);
    const agreed: Entry = found ?? { ...sent, inode: 0n, ctimeNs: 0n };
    this.#s.state(side).set(path, found ?? this.#s.lookLater(side, path, now));
    this.#s.state(otherSide(side)).set(path, sent);
    if (side === 'local') this.#s.agree(path, agreed, sent);
    else this.#s.agree(path, sent, agreed);
    this.#s.learnSeed(path, side === 'local' ? sent : undefined);
    this.#s.settled(path);
    if (found === undefined || compareEntries(found, sent, this.#s.modes.mask) !== 'same')
      this.#s.options.dirty.add(path);
    this.#s.watchRacy(otherSide(side), path, sent);
    this.#s.watchCoarse(side, path, found);
  }

  /** What takes no part is as if it were not there, but it can be in the way, such as a folder where only folders are excluded. */
  #isExcluded({ path }: Change, now: Entry | undefined): boolean {
    return now !== undefined && this.#s.options.rules.excluded(path, now.kind === 'directory');
  }

  /** A folder that is kept by something that takes no part stays there and is followed no longer. */
  #onNotEmpty(side: Side, change: Change): void {
    const { path } = change;
    if (this.#s.state(side).tree.hasChildren(path))
      return this.#s.lookAgain(change, raceRetryMs, raceRetryLimitMs);
    let looked = false;
    this.#tasks.track(
      async () => {
        await this.#intake.lookInto(side, [path]);
        looked = true;
      },
      () => {
        // Something that was made there just now, and takes part, is no reason to give the folder up.
        const fewTries = this.#s.retries.attempts(path) < notEmptyTries;
        if (!looked || fewTries || this.#s.state(side).tree.hasChildren(path))
          this.#s.lookAgain(change, raceRetryMs, raceRetryLimitMs);
        else this.#unfollow(path);
      },
    );
  }

  #unfollow(path: string): void {
    const { ancestor, localState } = this.#s.options;
    ancestor.agree(path, undefined, undefined);
    ancestor.differ(path, { local: localState.tree.get(path), remote: this.#s.remote.tree.get(path) });
  }

  #onFailed(side: Side, change: Change, code: string, message: string): void {
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const where = side === 'local' ? 'This machine' : 'The container';
      const error = new SlipwayError({
        code: 'disk.full',
        message: `${where} has no space left for ${change.path}`,
        cause: message,
        next: 'Free some space: the sync goes on by itself.',
      });
      for (const path of pathsOf(change)) this.#s.withoutSpace.set(path, error);
    }
    this.#s.refuse(side, change, message);
  }
}

/**
 * What is there now with its digest, if it still is what our step left there. Undefined: something was written since.
 * Times may lose what a number cannot hold, a few microseconds at most.
 */
function confirmed(now: Entry | undefined, known: Entry | undefined): Entry | undefined {
  if (now?.kind !== 'file' || known?.kind !== 'file') return now;
  const drift = now.mtimeNs - known.mtimeNs;
  if (now.size !== known.size || drift > mtimeDriftNs || drift < -mtimeDriftNs) return undefined;
  return { ...now, digest: known.digest };
}

const mtimeDriftNs = 2000n;

/** What was in a folder may be on its way out: so often it is tried again before what is in it counts as staying. */
const notEmptyTries = 3;

const excludedInTheWay = 'Not synced: something that is excluded has this name on the other side';
