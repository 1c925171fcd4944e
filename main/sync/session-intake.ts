import type { Side } from './change.ts';
import type { Hint, Inspection } from './endpoint.ts';
import type { Entry, Problem } from './entry.ts';
import { pathProblem } from './paths.ts';
import type { SessionRoot } from './session-root.ts';
import type { SessionState } from './session-state.ts';
import { refusedRetryLimitMs, refusedRetryMs } from './session-state.ts';
import { ancestorsOf } from './tree.ts';

/** Scans of a moving tree before what was seen is used without concluding what is gone. */
const scanAttempts = 3;
/** Going through more late news than this is done this often, in milliseconds, while steps are under way. */
const fewLate = 64;
const sweepMs = 100;

/** Paths that cannot be read and are named as they come up; more say nothing new. */
const unreadableLimit = 10_000;

const unreadableText = 'It could not be read';

/** Takes in what both sides hold: scans, hints, and looks where news and answers crossed. */
export class SessionIntake {
  readonly #s: SessionState;
  readonly #root: SessionRoot;
  /** Collects what is pushed while the container is asked: a pushed answer is newer than the one on its way. */
  readonly #newsDuring = new Set<Set<string>>();
  #swept = 0;

  constructor(state: SessionState, root: SessionRoot) {
    this.#s = state;
    this.#root = root;
  }

  async takeLocalHints(): Promise<void> {
    const { localHints, localState, local, clock } = this.#s.options;
    const due = localHints.takeDue(this.#s.now, (path) => this.#s.locks.blocks(path, true));
    if (due.size === 0) return;
    try {
      const found = await local.inspect([...due.keys()], { digest: false });
      const newFolders: string[] = [];
      for (const [path, entry] of found.entries) {
        const pending = due.get(path);
        const known = localState.tree.get(path);
        // New, or come and gone again: the end of a move, of which there may be more.
        if (known === undefined) this.#s.deletes.remote.stir(this.#s.now);
        if (pending !== undefined && !localHints.settle(path, pending, entry, known, clock.monotonic()))
          continue;
        const asked = pending?.into === true && entry?.kind === 'directory';
        if (asked || this.#needsScan('local', path, entry)) newFolders.push(path);
        localState.merge(path, entry);
      }
      for (const problem of found.problems) {
        localState.unreadable.add(problem.path);
        this.#tellUnreadable('local', problem);
      }
      await this.lookInto('local', newFolders);
      if (newFolders.length > 0) this.#s.deletes.remote.stir(this.#s.now);
    } catch (error) {
      for (const [path, { into }] of due) localHints.add(path, this.#s.now, into);
      throw error;
    }
  }

  async scanRemote(): Promise<void> {
    const { setState, ancestor } = this.#s.options;
    if (!this.#s.compared) setState({ kind: 'scanning' });
    this.#s.remoteOverflow = false;
    await this.scan('remote', ['']);
    if (this.#s.compared) return;
    setState({ kind: 'comparing' });
    this.#root.keepSeed();
    for (const tree of [this.#s.options.localState.tree, this.#s.remote.tree, ancestor.state.agreed]) {
      for (const path of tree.paths()) {
        this.#s.options.dirty.add(path);
        if (this.#s.rootChanged) this.#s.restoring.add(path);
      }
    }
    await ancestor.flush();
  }

  /** Asks what is there where pushed news and our own changes crossed. */
  async recheckRemote(): Promise<void> {
    this.#sweepLate();
    if (this.#s.remoteRecheck.size === 0) return;
    const paths = [...this.#s.remoteRecheck].filter((path) => !this.#s.locks.blocks(path, true));
    if (paths.length === 0) return;
    for (const path of paths) this.#s.remoteRecheck.delete(path);
    const found = await this.inspect('remote', paths);
    const newFolders: string[] = [];
    for (const [path, entry] of found.entries) {
      // Reported again meanwhile: that look is the later one.
      if (this.#s.locks.has(path) || this.#s.remoteRecheck.has(path)) continue;
      if (this.#needsScan('remote', path, entry)) newFolders.push(path);
      this.#s.remote.merge(path, entry);
    }
    await this.lookInto('remote', newFolders);
  }

  /** A file that was read within the granularity of its times may have changed without showing it. */
  async recheckRacy(): Promise<void> {
    for (const side of ['local', 'remote'] as const) {
      const racy = this.#s.racy[side];
      if (racy.size === 0) continue;
      const due = [...racy].filter(
        ([path, time]) => time <= this.#s.now && !this.#s.locks.blocks(path, true),
      );
      if (due.length === 0) continue;
      for (const [path] of due) racy.delete(path);
      const paths = due.map(([path]) => path);
      const found = await this.inspect(side, paths);
      for (const [path, entry] of found.entries) {
        if (this.#s.locks.blocks(path, true)) continue;
        this.#s.state(side).merge(path, entry);
        if (entry?.kind === 'file') this.#s.watchRacy(side, path, entry);
      }
    }
  }

  takeRetries(): void {
    for (const side of ['local', 'remote'] as const) this.#retryUnreadable(side);
    const due = this.#s.retries.takeDue(this.#s.now);
    for (const path of due) {
      // A name that cannot travel stays one: it is no question for the other side.
      if (pathProblem(path) !== undefined) continue;
      this.#s.options.localHints.add(path, this.#s.now);
      this.#s.remoteRecheck.add(path);
      this.#s.options.dirty.add(path);
    }
    if (due.length > 0) this.#s.options.wake.fire();
  }

  onRemoteHint(hint: Hint): void {
    if (hint.overflow) this.#s.remoteOverflow = true;
    for (const problem of hint.problems ?? []) {
      const { unreadable } = this.#s.remote;
      if (unreadable.size >= unreadableLimit && !unreadable.has(problem.path)) continue;
      unreadable.add(problem.path);
      this.#tellUnreadable('remote', problem);
    }
    for (const path of hint.paths) {
      for (const news of this.#newsDuring) news.add(path);
      if (this.#s.remote.tree.get(path) === undefined) this.#s.deletes.local.stir(this.#s.now);
      if (this.#s.locks.blocks(path, true)) this.#s.remoteLate.add(path, hint.entries);
      else {
        const entry = hint.entries?.get(path);
        const isKnown = hint.entries?.has(path) === true && this.#s.compared;
        // A new folder is told with all that is in it; one that could not be read before is not.
        const isOpened =
          this.#s.remote.tree.get(path)?.kind === 'directory' && this.#needsScan('remote', path, entry);
        if (entry === undefined && pathProblem(path) !== undefined) this.#s.retries.clear(path);
        if (isKnown && !isOpened) this.#s.remote.merge(path, entry);
        else this.#s.remoteRecheck.add(path);
      }
    }
    this.#s.options.wake.fire();
  }

  /** What waited for a step around or below it is not met at that step's end: now and then all are gone through. */
  #sweepLate(): void {
    const { remoteLate, locks, now } = this.#s;
    if (remoteLate.size === 0) return;
    if (locks.size > 0 && remoteLate.size > fewLate && now - this.#swept < sweepMs) return;
    this.#swept = now;
    for (const path of [...remoteLate.paths()]) this.#s.settleLate(path);
  }

  /** Whether what was found is a folder of whose content nothing is known: a new one, or one that was closed to us. */
  #needsScan(side: Side, path: string, entry: Entry | undefined): boolean {
    const state = this.#s.state(side);
    const known = state.tree.get(path);
    if (entry?.kind !== 'directory') return false;
    return known?.kind !== 'directory' || known.mode !== entry.mode || state.unreadable.has(path);
  }

  /** What a scan could not read is looked at again now and then: nobody tells when it can be read. */
  #retryUnreadable(side: Side): void {
    for (const path of this.#s.state(side).unreadable) {
      if (this.#s.retries.attempts(path) > 0) continue;
      this.#s.retries.again(path, this.#s.now, refusedRetryMs, refusedRetryLimitMs, unreadableText);
    }
  }

  /** The same for what was told just now. */
  #tellUnreadable(side: Side, problem: Problem): void {
    const { path, message } = problem;
    if (this.#s.retries.again(path, this.#s.now, refusedRetryMs, refusedRetryLimitMs, message))
      this.#s.options.emit({ kind: 'problem', side, problem });
  }

  /** A new folder may have been filled before it was watched. */
  async lookInto(side: Side, folders: readonly string[]): Promise<void> {
    const { rules } = this.#s.options;
    const set = new Set(folders);
    const top = folders.filter(
      (path) => !rules.excluded(path, true) && ![...ancestorsOf(path)].some((folder) => set.has(folder)),
    );
    if (top.length === 0) return;
    await this.scan(side, top);
  }

  /** Fresh entries of a side, without those that news overtook while they were on their way. */
  async inspect(side: Side, paths: readonly string[]): Promise<Inspection> {
    const news = new Set<string>();
    if (side === 'remote') this.#newsDuring.add(news);
    try {
      const found = await this.#s
        .endpoint(side)
        .inspect(paths, { digest: true, signal: this.#s.abort.signal });
      if (news.size === 0) return found;
      return { ...found, entries: new Map([...found.entries].filter(([path]) => !news.has(path))) };
    } finally {
      this.#newsDuring.delete(news);
    }
  }

  /** Scans a side and takes it in; what was pushed meanwhile is looked at again. */
  async scan(side: Side, below: readonly string[]): Promise<void> {
    const news = new Set<string>();
    if (side === 'remote') this.#newsDuring.add(news);
    try {
      const options = { signal: this.#s.abort.signal, ...(below.includes('') ? {} : { below }) };
      let scan = await this.#s.endpoint(side).scan(options);
      for (let attempt = 1; scan.moved && attempt < scanAttempts; attempt++) {
        scan = await this.#s.endpoint(side).scan(options);
      }
      for (const problem of this.#s.state(side).mergeScan(scan, below)) this.#tellUnreadable(side, problem);
    } finally {
      this.#newsDuring.delete(news);
      for (const path of news) this.#s.remoteRecheck.add(path);
    }
  }
}
