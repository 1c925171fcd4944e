import { SlipwayError, isCancellation, isSlipwayError, messageOf } from '../base/errors.ts';
import type { Change, Conflict, FileEntry, Side } from './change.ts';
import { otherSide } from './change.ts';
import type { ModePolicy } from './compare.ts';
import { compareEntries, modePolicy, sameStat } from './compare.ts';
import { clockSkewLimitMs } from './decide.ts';
import { DeleteSettling } from './delete-settling.ts';
import type { ApplyOutcome, Endpoint, Hint, Inspection } from './endpoint.ts';
import type { Entry } from './entry.ts';
import type { SyncEngineOptions } from './engine.ts';
import { actionOf } from './file-action.ts';
import { needsConsent } from './execution-consent.ts';
import type { HintQueue } from './hint-queue.ts';
import type { Hold, HoldRegistry } from './hold-registry.ts';
import { PathLocks, pathsOf, splitWaiting } from './path-locks.ts';
import { guardEntry } from './paths.ts';
import { checkPlan } from './plan-safety.ts';
import type { Guard, Reconciliation } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { isRacy, racyMs } from './racy.ts';
import { SideState } from './side-state.ts';
import type { HeldChoice, SyncEvent, SyncState } from './sync-event.ts';
import { transfer } from './transfer.ts';
import { Tree, ancestorsOf } from './tree.ts';
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

/** Pause before another try, in milliseconds: after a race, after the system refused, while a root is missing. */
const raceRetryMs = 20;
const raceRetryLimitMs = 5000;
const refusedRetryMs = 5000;
const refusedRetryLimitMs = 60_000;
const rootRetryMs = 2000;
/** A file that changes while being read is sent as read after so many tries. */
const changingAttempts = 6;
/** Scans of a moving tree before what was seen is used without concluding what is gone. */
const scanAttempts = 3;
/** How often everything is looked at although no event said so. */
const auditMs = 30 * 60_000;
/** Longest time for which what was agreed is only in memory. */
const flushMs = 500;
/** Files hashed per request, so that a connection is not kept by one of them. */
const namePreview = 20;

/** What happens while one connection lasts: compare, then keep both sides alike. */
export class EngineSession {
  readonly #o: EngineSessionOptions;
  readonly #remote: SideState;
  readonly #locks = new PathLocks();
  readonly #retries = new RetrySchedule();
  readonly #tasks = new Set<Promise<void>>();
  readonly #chosen = new Map<string, Side>();
  readonly #abort = new AbortController();
  readonly #deletes = { local: new DeleteSettling(), remote: new DeleteSettling() };
  /** Remote paths to inspect: something was reported while they were being changed. */
  readonly #remoteRecheck = new Set<string>();
  readonly #remoteLate = new Set<string>();
  /** Collects what is pushed while the container is asked: a pushed answer is newer than the one on its way. */
  readonly #newsDuring = new Set<Set<string>>();
  /** Files that may have changed without their times showing it, with when to read them again. */
  readonly #racy = { local: new Map<string, number>(), remote: new Map<string, number>() };
  readonly #modes: ModePolicy;
  readonly #told = new Set<string>();
  #remoteOverflow = true;
  /** Paths not yet compared with a root that is another one than the ancestor's. */
  readonly #restoring = new Set<string>();
  #rootChanged = false;
  #newSeed: Tree | undefined;
  #lost: SlipwayError | undefined;
  /** Paths for which one side had no space, with what was said. */
  readonly #withoutSpace = new Map<string, SlipwayError>();
  #compared = false;
  #flushed: number;
  #nextAudit: number;

  constructor(options: EngineSessionOptions) {
    this.#o = options;
    const { remote, local, ancestor, rules, clock } = options;
    this.#remote = new SideState(
      rules,
      (path) => ancestor.state.agreedRemote.get(path),
      (path) => options.dirty.add(path),
    );
    this.#modes = modePolicy(local.umask ?? 0o022, remote.umask ?? 0o022, local.umask !== undefined);
    this.#flushed = clock.monotonic();
    this.#nextAudit = clock.monotonic() + auditMs;
  }

  /** Why the connection is gone; undefined while it stands. */
  get lost(): SlipwayError | undefined {
    return this.#lost;
  }

  get #now(): number {
    return this.#o.clock.monotonic();
  }

  rescan(): void {
    this.#remoteOverflow = true;
  }

  /** Runs until the connection is lost or the engine stops; what is in flight is ended first. */
  async run(): Promise<void> {
    const { remote, signal, wake } = this.#o;
    const subscriptions = [
      remote.onHint((hint) => this.#onRemoteHint(hint)),
      remote.onNotice((message) => this.#o.emit({ kind: 'notice', message })),
    ];
    void remote.lost.then((error) => {
      this.#lost = error;
      this.#abort.abort(error);
      wake.fire();
    });
    try {
      this.#begin();
      while (!signal.aborted && this.#lost === undefined) await this.#turn();
      if (signal.aborted) await this.#finishTasks();
    } finally {
      this.#abort.abort(new DOMException('The session ended', 'AbortError'));
      await Promise.allSettled(this.#tasks);
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      await remote[Symbol.asyncDispose]();
      for (const path of this.#o.localState.tree.paths()) this.#o.dirty.add(path);
      for (const path of this.#o.ancestor.state.agreed.paths()) this.#o.dirty.add(path);
    }
  }

  resolve(hold: Hold, choice: HeldChoice): void {
    const { holds, ancestor, dirty, localState, emit } = this.#o;
    holds.remove(hold.id);
    emit({ kind: 'released', id: hold.id });
    const approved = new Set(ancestor.state.facts.approved);
    for (const path of hold.paths) {
      const [local, remote] = [localState.tree.get(path), this.#remote.tree.get(path)];
      if (choice === 'apply') {
        if (hold.kind === 'consent') approved.add(path);
        if (hold.side !== undefined) holds.allow(path, hold.side);
      } else if (choice === 'leave') ancestor.differ(path, { local, remote });
      else if (choice === 'restore') {
        // The deleting side gets the content back; on a first sync the laptop's version is the one that stays.
        if (hold.kind === 'brake') ancestor.agree(path, undefined, undefined);
        else this.#chosen.set(path, local === undefined ? 'remote' : 'local');
      } else this.#chosen.set(path, choice);
      this.#markBelow(path);
      for (const folder of ancestorsOf(path)) dirty.add(folder);
      dirty.add(path);
      this.#retries.clear(path);
    }
    if (hold.kind === 'consent' && choice === 'apply') ancestor.setFacts({ approved: [...approved] });
  }

  #markBelow(path: string): void {
    const { localState, ancestor, dirty } = this.#o;
    for (const tree of [localState.tree, this.#remote.tree, ancestor.state.agreed]) {
      for (const child of tree.descendants(path)) dirty.add(child);
    }
  }

  /** Notices a root that is another one than the ancestor's. */
  #begin(): void {
    const { ancestor, remote, emit } = this.#o;
    const { remoteRoot } = ancestor.state.facts;
    const { root } = remote;
    const other =
      remoteRoot !== undefined &&
      (remoteRoot.inode !== root.inode ||
        remoteRoot.device !== root.device ||
        remoteRoot.container !== root.container);
    this.#rootChanged = other && ancestor.state.agreed.size > 0;
    this.#noticeClock();
    if (this.#rootChanged) {
      emit({
        kind: 'notice',
        message:
          'The container is another one than before: what it holds is compared, and edits of this machine win',
      });
    }
  }

  #noticeClock(): void {
    const { strategy, remote, emit } = this.#o;
    const offset = remote.clockOffsetMs ?? 0;
    if (strategy !== 'preferNewest' || Math.abs(offset) <= clockSkewLimitMs) return;
    const seconds = Math.round(Math.abs(offset) / 1000);
    const message = `The container's clock is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's: where both sides changed a file you are asked instead of comparing times`;
    if (this.#tell(message)) emit({ kind: 'notice', message });
  }

  async #turn(): Promise<void> {
    const { setState, wake, signal, scanLocalIfNeeded } = this.#o;
    try {
      await scanLocalIfNeeded();
      if (this.#remoteOverflow) await this.#scanRemote();
      await this.#takeLocalHints();
      await this.#recheckRemote();
      await this.#recheckRacy();
      this.#takeRetries();
      if (this.#o.dirty.size > 0 && (await this.#reconcile())) return;
      await this.#rest();
    } catch (error) {
      if (this.#lost !== undefined || signal.aborted || isCancellation(error)) return;
      if (!isSlipwayError(error)) throw error;
      const lost = await Promise.race([this.#o.remote.lost, Promise.resolve(undefined)]);
      if (lost !== undefined) return;
      this.#remoteOverflow ||=
        error.code !== 'sync.local-path-missing' && error.code !== 'sync.local-path-unreadable';
      setState({ kind: 'paused', reason: error });
      await wake.wait(rootRetryMs, signal);
    }
  }

  async #scanRemote(): Promise<void> {
    const { setState, ancestor } = this.#o;
    if (!this.#compared) setState({ kind: 'scanning' });
    this.#remoteOverflow = false;
    await this.#scan('remote', ['']);
    if (this.#compared) return;
    setState({ kind: 'comparing' });
    this.#keepSeed();
    for (const tree of [this.#o.localState.tree, this.#remote.tree, ancestor.state.agreed]) {
      for (const path of tree.paths()) {
        this.#o.dirty.add(path);
        if (this.#rootChanged) this.#restoring.add(path);
      }
    }
    await ancestor.flush();
  }

  /** What a fresh root holds before anything of ours is on it: never to be taken for somebody's edit later. */
  #keepSeed(): void {
    const { ancestor, remote } = this.#o;
    const { state } = ancestor;
    if (state.facts.remoteRoot === undefined) {
      ancestor.replaceSeed(this.#remote.tree.entries());
      ancestor.setFacts({ remoteRoot: remote.root, rulesHash: this.#o.rules.hash });
      return;
    }
    if (!this.#rootChanged) return;
    // Interrupted before, this root may hold some of our own files already; for those the older seed stays true.
    const seed = new Tree();
    for (const [path, entry] of this.#remote.tree.entries()) {
      const ours = compareEntries(state.agreed.get(path), entry, this.#modes.mask) === 'same';
      seed.set(path, ours ? (state.seed.get(path) ?? entry) : entry);
    }
    this.#newSeed = seed;
  }

  async #takeLocalHints(): Promise<void> {
    const { localHints, localState, local, clock, emit } = this.#o;
    const due = localHints.takeDue(this.#now, (path) => this.#locks.blocks(path, true));
    if (due.size === 0) return;
    try {
      const found = await local.inspect([...due.keys()], { digest: false });
      const newFolders: string[] = [];
      for (const [path, entry] of found.entries) {
        const pending = due.get(path);
        const known = localState.tree.get(path);
        if (pending !== undefined && !localHints.settle(path, pending, entry, known, clock.monotonic()))
          continue;
        if (entry?.kind === 'directory' && known?.kind !== 'directory') newFolders.push(path);
        localState.merge(path, entry);
      }
      for (const problem of found.problems) {
        localState.unreadable.add(problem.path);
        emit({ kind: 'problem', side: 'local', problem });
      }
      await this.#lookInto('local', newFolders);
    } catch (error) {
      for (const path of due.keys()) localHints.add(path, this.#now);
      throw error;
    }
  }

  /** A new folder may have been filled before it was watched. */
  async #lookInto(side: Side, folders: readonly string[]): Promise<void> {
    const { rules } = this.#o;
    const set = new Set(folders);
    const top = folders.filter(
      (path) => !rules.excluded(path, true) && ![...ancestorsOf(path)].some((folder) => set.has(folder)),
    );
    if (top.length === 0) return;
    await this.#scan(side, top);
  }

  /** A file that was read within the granularity of its times may have changed without showing it. */
  async #recheckRacy(): Promise<void> {
    for (const side of ['local', 'remote'] as const) {
      const racy = this.#racy[side];
      if (racy.size === 0) continue;
      const due = [...racy].filter(([path, time]) => time <= this.#now && !this.#locks.blocks(path, true));
      if (due.length === 0) continue;
      for (const [path] of due) racy.delete(path);
      const paths = due.map(([path]) => path);
      const found = await this.#inspect(side, paths);
      for (const [path, entry] of found.entries) {
        if (!this.#locks.blocks(path, true)) this.#state(side).merge(path, entry);
      }
    }
  }

  #onRemoteHint(hint: Hint): void {
    if (hint.overflow) this.#remoteOverflow = true;
    for (const path of hint.paths) {
      for (const news of this.#newsDuring) news.add(path);
      if (this.#locks.blocks(path, true)) this.#remoteLate.add(path);
      else if (hint.entries?.has(path) === true && this.#compared)
        this.#remote.merge(path, hint.entries.get(path));
      else this.#remoteRecheck.add(path);
    }
    this.#o.wake.fire();
  }

  /** Asks what is there where pushed news and our own changes crossed. */
  async #recheckRemote(): Promise<void> {
    for (const path of this.#remoteLate) {
      if (this.#locks.blocks(path, true)) continue;
      this.#remoteLate.delete(path);
      this.#remoteRecheck.add(path);
    }
    if (this.#remoteRecheck.size === 0) return;
    const paths = [...this.#remoteRecheck].filter((path) => !this.#locks.blocks(path, true));
    if (paths.length === 0) return;
    for (const path of paths) this.#remoteRecheck.delete(path);
    const found = await this.#inspect('remote', paths);
    const newFolders: string[] = [];
    for (const [path, entry] of found.entries) {
      // Reported again meanwhile: that look is the later one.
      if (this.#locks.has(path) || this.#remoteRecheck.has(path)) continue;
      if (entry?.kind === 'directory' && this.#remote.tree.get(path)?.kind !== 'directory')
        newFolders.push(path);
      this.#remote.merge(path, entry);
    }
    await this.#lookInto('remote', newFolders);
  }

  #takeRetries(): void {
    const due = this.#retries.takeDue(this.#now);
    for (const path of due) {
      this.#o.localHints.add(path, this.#now);
      this.#remoteRecheck.add(path);
      this.#o.dirty.add(path);
    }
    if (due.length > 0) this.#o.wake.fire();
  }

  /** Decides about what is new and starts what follows; false when nothing could be decided now. */
  async #reconcile(): Promise<boolean> {
    const { dirty, setState } = this.#o;
    const paths = [...dirty].filter((path) => !this.#locks.blocks(path, true) && !this.#retries.waits(path));
    if (paths.length === 0) return false;
    if (this.#compared) setState({ kind: 'syncing', remaining: dirty.size });
    await this.#hashMoved('local', paths);
    await this.#hashMoved('remote', paths);
    for (const path of paths) dirty.delete(path);
    const plan = this.#plan(paths);
    this.#recordPlan(paths, plan);
    if (plan.needsDigest.local.length + plan.needsDigest.remote.length > 0) this.#startHashing(plan);
    else {
      for (const path of plan.waiting) {
        this.#retries.again(path, this.#now, raceRetryMs, raceRetryLimitMs);
        dirty.add(path);
      }
    }
    const up = this.#startSide('remote', plan.toRemote);
    const down = this.#startSide('local', plan.toLocal);
    return up || down;
  }

  #plan(paths: readonly string[]): Reconciliation {
    const { ancestor, localState, rules, strategy, remote } = this.#o;
    const { state } = ancestor;
    return reconcile({
      ancestor: state.agreed,
      local: localState.tree,
      remote: this.#remote.tree,
      paths,
      rules,
      strategy,
      initial: !state.facts.initialDone,
      rootChanged: this.#restoring,
      seed: state.seed,
      differences: state.differences,
      chosen: this.#chosen,
      modes: this.#modes,
      clockOffsetMs: remote.clockOffsetMs,
      nowMs: this.#o.clock.now(),
      unreadable: { local: localState.unreadable, remote: this.#remote.unreadable },
      guardLocal: this.#guardLocal,
      guardRemote: guardRemote,
    });
  }

  readonly #guardLocal: Guard = (path, entry) => {
    const { consent, localNames, ancestor, holds } = this.#o;
    const verdict = guardEntry(path, entry, localNames);
    if (verdict.kind !== 'allow' || consent === undefined) return verdict;
    if (!needsConsent(path, entry, consent, this.#remote.tree)) return verdict;
    if (holds.isAllowed(path, 'local') || ancestor.state.facts.approved.includes(path)) return verdict;
    return { kind: 'consent', message: 'Programs on this machine would execute it' };
  };

  /** Content that moved on one side is recognised by its digest; only files of a size that just vanished are read for it. */
  async #hashMoved(side: Side, paths: readonly string[]): Promise<void> {
    const { ancestor } = this.#o;
    const tree = this.#state(side).tree;
    const gone = new Set<number>();
    for (const path of paths) {
      const past = ancestor.state.agreed.get(path);
      if (past?.kind === 'file' && past.size > 0 && tree.get(path) === undefined) gone.add(past.size);
    }
    if (gone.size === 0) return;
    const candidates = paths.filter((path) => {
      const entry = tree.get(path);
      return (
        entry?.kind === 'file' &&
        entry.digest === undefined &&
        gone.has(entry.size) &&
        ancestor.state.agreed.get(path) === undefined
      );
    });
    if (candidates.length === 0) return;
    const found = await this.#inspect(side, candidates);
    for (const [path, entry] of found.entries) if (entry?.kind === 'file') this.#state(side).set(path, entry);
  }

  #recordPlan(paths: readonly string[], plan: Reconciliation): void {
    const { ancestor, emit, holds } = this.#o;
    for (const { path, local, remote } of plan.ancestorUpdates) {
      ancestor.agree(path, local, remote);
      this.#settled(path);
      this.#shareDigests(path, local, remote);
    }
    for (const { path, difference } of plan.untracked) ancestor.differ(path, difference);
    const conflicts = new Map(plan.conflicts.map((conflict) => [conflict.path, conflict]));
    for (const path of paths) {
      const hold = holds.of(path);
      if (hold?.kind === 'conflict' && !conflicts.has(path)) this.#release(hold);
    }
    for (const conflict of conflicts.values()) this.#holdConflict(conflict);
    this.#holdConsent(plan.consent);
    this.#noteDone(paths, plan);
    for (const { side, path, message } of plan.problems) {
      if (this.#tell(`${side} ${path} ${message}`))
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
      if (!conflicts.has(path)) this.#restoring.delete(path);
      this.#withoutSpace.delete(path);
      this.#retries.clear(path);
    }
  }

  #shareDigests(path: string, local: Entry | undefined, remote: Entry | undefined): void {
    if (local?.kind === 'file') this.#o.localState.set(path, local);
    if (remote?.kind === 'file') this.#remote.set(path, remote);
    this.#learnSeed(path, remote);
  }

  #holdConflict(conflict: Conflict): void {
    const { holds, emit } = this.#o;
    if (holds.of(conflict.path) !== undefined) return;
    const reason = conflictReasons[conflict.reason];
    const hold = holds.add('conflict', undefined, reason, [conflict.path], ['local', 'remote', 'leave']);
    emit({ kind: 'conflict', conflict, winner: 'none' });
    emit({ kind: 'held', held: hold });
  }

  #holdConsent(consent: Reconciliation['consent']): void {
    const { holds, emit } = this.#o;
    const fresh = consent.map(({ path }) => path).filter((path) => holds.of(path) === undefined);
    if (fresh.length === 0) return;
    const reason = `The container sent ${fresh.length === 1 ? 'a file' : `${fresh.length} files`} that programs on this machine would execute`;
    emit({ kind: 'held', held: holds.add('consent', 'local', reason, fresh, ['apply', 'leave']) });
  }

  /** A conflict that is over may have kept everything below it waiting. */
  #release(hold: Hold): void {
    for (const path of hold.paths) this.#markBelow(path);
    this.#o.holds.remove(hold.id);
    this.#o.emit({ kind: 'released', id: hold.id });
  }

  /** Both sides are one at this path: nothing of its history matters any more. */
  #settled(path: string): void {
    const { ancestor, holds } = this.#o;
    ancestor.differ(path, undefined);
    this.#retries.clear(path);
    this.#chosen.delete(path);
    this.#restoring.delete(path);
    this.#withoutSpace.delete(path);
    holds.forgetAllowed(path);
  }

  /** Starts the part of a plan that may go now; the rest stays dirty or held. */
  #startSide(side: Side, changes: readonly Change[]): boolean {
    if (!changes.some((change) => change.kind === 'delete')) this.#deletes[side].reset();
    if (changes.length === 0) return false;
    const { holds, dirty } = this.#o;
    const held = splitWaiting(changes, (change) =>
      pathsOf(change).some((path) => holds.of(path) !== undefined && !holds.isAllowed(path, side)),
    );
    const settling = this.#deletes[side];
    const deletions = held.ready.filter((change) => change.kind === 'delete').map(({ path }) => path);
    settling.see(deletions, this.#now);
    const quiet = settling.settled(this.#now);
    const split = splitWaiting(
      held.ready,
      (change) =>
        (change.kind === 'delete' && !quiet) ||
        pathsOf(change).some((path) => this.#locks.blocks(path, true) || this.#retries.waits(path)),
    );
    for (const change of split.waiting) for (const path of pathsOf(change)) dirty.add(path);
    if (quiet) settling.reset();
    const ready = this.#brake(side, split.ready);
    if (ready.length === 0) return false;
    this.#startTransfer(side, ready);
    return true;
  }

  #brake(side: Side, changes: readonly Change[]): readonly Change[] {
    const { brake, holds, ancestor, emit } = this.#o;
    const source = this.#state(otherSide(side)).tree;
    const facts = {
      files: this.#state(side).tree.files,
      agreed: ancestor.state.agreed.size,
      sourceEmpty: source.size === 0,
    };
    const free = changes.filter((change) => !holds.isAllowed(change.path, side));
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
    for (const change of waiting) if (!blocked.has(change.path)) this.#o.dirty.add(change.path);
    this.#announceFirstDeletions(side, ready);
    return ready;
  }

  #announceFirstDeletions(side: Side, changes: readonly Change[]): void {
    if (side !== 'remote') return;
    const paths = changes
      .filter((change) => change.kind === 'delete' && change.why === 'first-sync')
      .map(({ path }) => path);
    if (paths.length === 0) return;
    const names = paths.slice(0, namePreview).join(', ') + (paths.length > namePreview ? ', …' : '');
    const count = paths.length === 1 ? '1 path' : `${paths.length} paths`;
    this.#o.emit({
      kind: 'notice',
      message: `First sync: ${count} only in the container will be deleted there: ${names}`,
    });
  }

  #startTransfer(side: Side, changes: readonly Change[]): void {
    const open = new Set(changes);
    for (const change of changes) for (const path of pathsOf(change)) this.#locks.add(path);
    const acceptChanging = new Set(
      changes
        .filter((change) => this.#retries.attempts(change.path) >= changingAttempts)
        .map(({ path }) => path),
    );
    this.#track(
      async () => {
        await transfer({
          side,
          source: this.#endpoint(otherSide(side)),
          target: this.#endpoint(side),
          trash: this.#o.trash,
          changes,
          acceptChanging,
          signal: this.#abort.signal,
          onOutcome: (change, outcome, sent) => {
            open.delete(change);
            this.#onOutcome(side, change, outcome, sent);
            const still = new Set([...(open.size < 1000 ? open : [])].flatMap(pathsOf));
            for (const path of pathsOf(change)) if (!still.has(path)) this.#unlock(path);
          },
        });
      },
      () => {
        for (const change of changes) for (const path of pathsOf(change)) this.#unlock(path);
        for (const change of open) for (const path of pathsOf(change)) this.#o.dirty.add(path);
      },
    );
  }

  #startHashing(plan: Reconciliation): void {
    const paths = [...plan.needsDigest.local, ...plan.needsDigest.remote];
    for (const path of paths) this.#locks.add(path);
    const take = async (side: Side, asked: readonly string[]): Promise<void> => {
      if (asked.length === 0) return;
      const found = await this.#inspect(side, asked);
      for (const [path, entry] of found.entries) {
        if (entry?.kind === 'file' && entry.digest === undefined)
          this.#retries.again(path, this.#now, raceRetryMs, raceRetryLimitMs);
        if (entry === undefined) this.#state(side).merge(path, entry);
        else this.#state(side).set(path, entry);
        if (side === 'remote') this.#learnSeed(path, entry);
      }
      for (const { path, message } of found.problems) {
        if (this.#retries.again(path, this.#now, refusedRetryMs, refusedRetryLimitMs, message)) {
          this.#o.emit({ kind: 'problem', side, problem: { path, message } });
        }
      }
    };
    this.#track(
      async () => {
        await Promise.all([take('local', plan.needsDigest.local), take('remote', plan.needsDigest.remote)]);
      },
      () => {
        for (const path of paths) this.#unlock(path);
        for (const path of plan.waiting) this.#o.dirty.add(path);
      },
    );
  }

  /** Runs something beside the loop; `after` runs however it ends. */
  #track(action: () => Promise<void>, after: () => void): void {
    const task = (async () => {
      try {
        await action();
      } catch (error) {
        if (!isCancellation(error) && !isSlipwayError(error)) throw error;
        // A lost connection ends the session; a missing root shows at the next scan.
        if (isSlipwayError(error) && this.#lost === undefined && !this.#abort.signal.aborted) {
          this.#remoteOverflow = true;
          if (this.#tell(error.message))
            this.#o.emit({ kind: 'notice', message: `${error.message}: ${error.causeText}` });
        }
      } finally {
        after();
        this.#o.wake.fire();
      }
    })();
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task)).catch(() => undefined);
  }

  #unlock(path: string): void {
    this.#locks.delete(path);
    this.#o.wake.fire();
  }

  #onOutcome(side: Side, change: Change, outcome: ApplyOutcome, sent: FileEntry | undefined): void {
    const { emit, dirty } = this.#o;
    switch (outcome.kind) {
      case 'applied':
        this.#onApplied(side, change, outcome, sent);
        break;
      case 'mismatch':
        this.#lookAgain(change, raceRetryMs, raceRetryLimitMs);
        break;
      case 'not-empty':
        this.#onNotEmpty(side, change);
        break;
      case 'source-changed':
        if (outcome.reason === 'unreadable') this.#refuse(otherSide(side), change, outcome.message);
        else this.#lookAgain(change, raceRetryMs, raceRetryLimitMs);
        break;
      case 'failed':
        this.#onFailed(side, change, outcome.code, outcome.message);
        break;
      case 'refused':
        this.#refuse(side, change, outcome.message);
        break;
    }
    if (outcome.kind !== 'applied') for (const path of pathsOf(change)) dirty.add(path);
    if (outcome.kind === 'applied' && outcome.inPlace && this.#tell(`in place ${change.path}`)) {
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
    const target = this.#state(side);
    const source = this.#state(otherSide(side));
    if (change.kind === 'put' && sent !== undefined) this.#onFilePut(side, change, outcome.now, sent);
    else {
      const path = change.kind === 'rename' ? change.to : change.path;
      if (change.kind === 'rename') {
        target.set(change.path, undefined);
        this.#agreeIfSame(change.path);
      }
      const before = change.kind === 'delete' ? undefined : change.expected;
      target.set(path, confirmed(outcome.now, before) ?? this.#lookLater(side, path, outcome.now));
      this.#agreeIfSame(path);
    }
    const direction = side === 'remote' ? 'up' : 'down';
    const to = change.kind === 'rename' ? change.to : undefined;
    this.#o.emit({
      kind: 'file',
      path: change.path,
      direction,
      action: actionOf(change),
      bytes: outcome.bytes,
      to,
    });
    // What differed before the first sync was nobody's edit during it: the strategy's choice is no conflict.
    if (change.why !== 'settled' || !this.#o.ancestor.state.facts.initialDone) return;
    const winning = source.tree.get(change.path);
    const conflict: Conflict = {
      path: change.path,
      local: side === 'local' ? change.expected : winning,
      remote: side === 'remote' ? change.expected : winning,
      reason: 'both-changed',
    };
    this.#o.emit({ kind: 'conflict', conflict, winner: otherSide(side) });
  }

  /**
   * What was sent is what both sides now agreed on, whatever happened to either file since: a later write on the
   * target shows in its times, and is then a change against this.
   */
  #onFilePut(side: Side, change: Change, now: Entry | undefined, sent: FileEntry): void {
    const { ancestor } = this.#o;
    const { path } = change;
    const found = confirmed(now, sent);
    const agreed: Entry = found ?? { ...sent, inode: 0n, ctimeNs: 0n };
    this.#state(side).set(path, found ?? this.#lookLater(side, path, now));
    this.#state(otherSide(side)).set(path, sent);
    ancestor.agree(path, side === 'local' ? agreed : sent, side === 'remote' ? agreed : sent);
    this.#learnSeed(path, side === 'local' ? sent : undefined);
    this.#settled(path);
    if (found === undefined || compareEntries(found, sent, this.#modes.mask) !== 'same')
      this.#o.dirty.add(path);
    this.#watchRacy(otherSide(side), path, sent);
  }

  #agreeIfSame(path: string): void {
    const [local, remote] = [this.#o.localState.tree.get(path), this.#remote.tree.get(path)];
    const agree = compareEntries(local, remote, this.#modes.mask) === 'same';
    this.#o.ancestor.agree(path, agree ? local : undefined, agree ? remote : undefined);
    if (agree) this.#settled(path);
    else this.#o.dirty.add(path);
  }

  /** The target changed right after our step: what is there now has to be read. */
  #lookLater(side: Side, path: string, now: Entry | undefined): Entry | undefined {
    this.#racy[side].set(path, this.#now);
    return now?.kind === 'file' ? { ...now, digest: undefined } : now;
  }

  #watchRacy(side: Side, path: string, entry: FileEntry): void {
    const offset = side === 'remote' ? (this.#o.remote.clockOffsetMs ?? 0) : 0;
    if (isRacy(entry, this.#o.clock.now() + offset)) this.#racy[side].set(path, this.#now + racyMs(entry));
  }

  /** The image's file was read: from now on its digest tells it from an edit, in another container too. */
  #learnSeed(path: string, entry: Entry | undefined): void {
    const seed = this.#o.ancestor.state.seed.get(path);
    if (entry?.kind !== 'file' || entry.digest === undefined) return;
    if (seed?.kind === 'file' && seed.digest === undefined && sameStat(seed, entry)) {
      this.#o.ancestor.learnSeed(path, entry);
    }
  }

  /** Looks at the path on both sides and decides anew. */
  #lookAgain(change: Change, firstMs: number, limitMs: number): void {
    for (const path of pathsOf(change)) {
      this.#retries.again(path, this.#now, firstMs, limitMs);
      this.#o.localHints.add(path, this.#now);
      this.#remoteRecheck.add(path);
    }
  }

  /** A folder that is kept by something that takes no part stays there and is followed no longer. */
  #onNotEmpty(side: Side, change: Change): void {
    const { ancestor, localState } = this.#o;
    if (this.#state(side).tree.hasChildren(change.path))
      return this.#lookAgain(change, raceRetryMs, raceRetryLimitMs);
    ancestor.agree(change.path, undefined, undefined);
    ancestor.differ(change.path, {
      local: localState.tree.get(change.path),
      remote: this.#remote.tree.get(change.path),
    });
    this.#track(
      () => this.#lookInto(side, [change.path]),
      () => undefined,
    );
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
      for (const path of pathsOf(change)) this.#withoutSpace.set(path, error);
    }
    this.#refuse(side, change, message);
  }

  #refuse(side: Side, change: Change, message: string): void {
    for (const path of pathsOf(change)) {
      const fresh = this.#retries.again(path, this.#now, refusedRetryMs, refusedRetryLimitMs, message);
      if (fresh) this.#o.emit({ kind: 'problem', side, problem: { path, message } });
    }
  }

  /** Nothing can be done now: says so when both sides are one, and sleeps until something happens. */
  async #rest(): Promise<void> {
    const { wake, signal, localHints, setState, holds, dirty, ancestor } = this.#o;
    const working =
      this.#tasks.size > 0 ||
      localHints.size > 0 ||
      this.#remoteRecheck.size > 0 ||
      this.#remoteLate.size > 0;
    const open = [...dirty].filter((path) => !this.#retries.isStuck(path)).length;
    // Deletions that were seen and then taken back must not keep the loop awake.
    if (open === 0) {
      this.#deletes.local.reset();
      this.#deletes.remote.reset();
    }
    if (
      !working &&
      open === 0 &&
      this.#racy.local.size + this.#racy.remote.size === 0 &&
      !this.#remoteOverflow
    ) {
      this.#finishCompare();
      await ancestor.flush();
      this.#flushed = this.#now;
      const [full] = this.#withoutSpace.values();
      if (full !== undefined) setState({ kind: 'paused', reason: full });
      else if (this.#nothingNew()) setState({ kind: 'in-sync', held: holds.size + this.#retries.reported });
    } else {
      if (this.#compared) setState({ kind: 'syncing', remaining: this.#locks.size + open });
      if (this.#now - this.#flushed > flushMs) {
        this.#flushed = this.#now;
        void ancestor
          .flush()
          .catch((error: unknown) => this.#o.emit({ kind: 'notice', message: messageOf(error) ?? '' }));
      }
    }
    if (this.#now >= this.#nextAudit) {
      this.#nextAudit = this.#now + auditMs;
      this.#remoteOverflow = true;
      return;
    }
    await wake.wait(this.#pause(working || open > 0), signal);
  }

  #nothingNew(): boolean {
    const { localHints, dirty } = this.#o;
    return (
      localHints.size === 0 &&
      this.#remoteRecheck.size === 0 &&
      [...dirty].every((path) => this.#retries.isStuck(path))
    );
  }

  /** The first comparison of this connection is done: from now on the ancestor alone decides. */
  #finishCompare(): void {
    const { ancestor, holds, strategy, remote, rules } = this.#o;
    this.#compared = true;
    if (holds.has('first-sync')) return;
    if (!ancestor.state.facts.initialDone) {
      if (strategy === 'disabled') this.#rememberDifferences();
      ancestor.setFacts({
        initialDone: true,
        rulesHash: rules.hash,
        localRoot: this.#o.local.root,
        remoteRoot: remote.root,
      });
    }
    if (this.#rootChanged && this.#restoring.size === 0) {
      if (this.#newSeed !== undefined) ancestor.replaceSeed(this.#newSeed.entries());
      ancestor.setFacts({ remoteRoot: remote.root });
      this.#rootChanged = false;
    }
    if (ancestor.state.facts.rulesHash !== rules.hash) ancestor.setFacts({ rulesHash: rules.hash });
  }

  /** `disabled` compares nothing: what differs now stays so until somebody changes it. */
  #rememberDifferences(): void {
    const { ancestor, localState } = this.#o;
    for (const path of new Set([...localState.tree.paths(), ...this.#remote.tree.paths()])) {
      if (ancestor.state.agreed.get(path) !== undefined) continue;
      ancestor.differ(path, { local: localState.tree.get(path), remote: this.#remote.tree.get(path) });
    }
  }

  /** Milliseconds until something is due although nobody wakes us. */
  #pause(working: boolean): number {
    const times = [
      this.#o.localHints.nextDue,
      this.#retries.nextDue,
      this.#deletes.local.due,
      this.#deletes.remote.due,
      ...this.#racy.local.values(),
      ...this.#racy.remote.values(),
      this.#nextAudit,
    ].filter((time) => time !== undefined);
    const soonest = Math.min(...times) - this.#now;
    // What waits for a task is woken by its end; this bounds a wait that no one ends.
    return Math.max(this.#tasks.size > 0 ? 5 : 0, Math.min(soonest, working ? flushMs : soonest));
  }

  /** Lets what is in flight end before the engine closes, for a bounded time. */
  async #finishTasks(): Promise<void> {
    const timeout = this.#o.clock.sleep(2000).catch(() => undefined);
    while (this.#tasks.size > 0) {
      const done = await Promise.race([
        Promise.allSettled(this.#tasks).then(() => true),
        timeout.then(() => false),
      ]);
      if (!done) return;
    }
  }

  /** Fresh entries of a side, without those that news overtook while they were on their way. */
  async #inspect(side: Side, paths: readonly string[]): Promise<Inspection> {
    const news = new Set<string>();
    if (side === 'remote') this.#newsDuring.add(news);
    try {
      const found = await this.#endpoint(side).inspect(paths, { digest: true, signal: this.#abort.signal });
      if (news.size === 0) return found;
      return { ...found, entries: new Map([...found.entries].filter(([path]) => !news.has(path))) };
    } finally {
      this.#newsDuring.delete(news);
    }
  }

  /** Scans a side and takes it in; what was pushed meanwhile is looked at again. */
  async #scan(side: Side, below: readonly string[]): Promise<void> {
    const news = new Set<string>();
    if (side === 'remote') this.#newsDuring.add(news);
    try {
      const options = { signal: this.#abort.signal, ...(below.includes('') ? {} : { below }) };
      let scan = await this.#endpoint(side).scan(options);
      for (let attempt = 1; scan.moved && attempt < scanAttempts; attempt++) {
        scan = await this.#endpoint(side).scan(options);
      }
      for (const problem of this.#state(side).mergeScan(scan, below))
        this.#o.emit({ kind: 'problem', side, problem });
    } finally {
      this.#newsDuring.delete(news);
      for (const path of news) this.#remoteRecheck.add(path);
    }
  }

  #tell(key: string): boolean {
    if (this.#told.has(key)) return false;
    if (this.#told.size >= 10_000) this.#told.clear();
    this.#told.add(key);
    return true;
  }

  #state(side: Side): SideState {
    return side === 'local' ? this.#o.localState : this.#remote;
  }

  #endpoint(side: Side): Endpoint {
    return side === 'local' ? this.#o.local : this.#o.remote;
  }
}

const conflictReasons: Record<Conflict['reason'], string> = {
  'both-changed': 'Both sides changed it, and the strategy leaves the choice to you',
  'kinds-differ': 'One side has a folder there and the other one does not',
  'clock-unreliable': 'Both sides changed it, and the clocks cannot tell which version is newer',
  'refused-by-rules': 'The rules allow neither direction',
};

const guardRemote: Guard = (path, entry) =>
  guardEntry(path, entry, { windows: false, caseInsensitive: false });

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
