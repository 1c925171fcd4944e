import { isCancellation, isSlipwayError } from '../base/errors.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { Endpoint, Hint } from './endpoint.ts';
import type { Hold } from './hold-registry.ts';
import { SessionDispatch } from './session-dispatch.ts';
import { SessionIntake } from './session-intake.ts';
import { SessionOutcomes } from './session-outcomes.ts';
import { SessionPlanner } from './session-planner.ts';
import { SessionRest } from './session-rest.ts';
import { SessionRoot } from './session-root.ts';
import type { EngineSessionOptions } from './session-state.ts';
import { SessionState } from './session-state.ts';
import { SessionTasks } from './session-tasks.ts';
import { SessionTrash } from './session-trash.ts';
import type { HeldChoice } from './sync-event.ts';
import type { TreeView } from './tree.ts';

/** Pause before another try while a root is missing, in milliseconds. */
const rootRetryMs = 2000;

/** What happens while one connection lasts: compare, then keep both sides alike. */
export class EngineSession {
  readonly #s: SessionState;
  readonly #tasks: SessionTasks;
  readonly #intake: SessionIntake;
  readonly #root: SessionRoot;
  readonly #planner: SessionPlanner;
  readonly #rest: SessionRest;

  constructor(options: EngineSessionOptions) {
    const state = new SessionState(options);
    this.#s = state;
    this.#tasks = new SessionTasks(state);
    this.#root = new SessionRoot(state);
    this.#intake = new SessionIntake(state, this.#root);
    const outcomes = new SessionOutcomes(state, this.#intake, this.#tasks);
    const trash = new SessionTrash(state);
    const dispatch = new SessionDispatch(state, {
      intake: this.#intake,
      outcomes,
      tasks: this.#tasks,
      trash,
    });
    this.#planner = new SessionPlanner(state, this.#intake, dispatch);
    this.#rest = new SessionRest(state, this.#root, this.#tasks, trash);
  }

  /** Why the connection is gone; undefined while it stands. */
  get lost(): SlipwayError | undefined {
    return this.#s.lost;
  }

  rescan(): void {
    this.#s.remoteOverflow = true;
  }

  /** The container's side; nobody else closes it. */
  get remote(): Endpoint {
    return this.#s.options.remote;
  }

  /** What was told of a path that is tried again. */
  problemOf(path: string): string | undefined {
    return this.#s.retries.problemOf(path);
  }

  /** What the container is known to hold. */
  get remoteTree(): TreeView {
    return this.#s.remote.tree;
  }

  /** Decides anew about a path and everything below and around it. */
  lookAround(path: string): void {
    this.#s.lookAround(path);
  }

  /** A step on this path is under way, or is tried again. */
  isBusy(path: string): boolean {
    return this.#s.locks.has(path) || this.#s.retries.waits(path);
  }

  /** Runs until the connection is lost or the engine stops; what is in flight is ended first. */
  async run(): Promise<void> {
    const { remote, signal, wake } = this.#s.options;
    const subscriptions = [
      remote.onHint((hint) => this.#takeHint(hint)),
      remote.onNotice((message) => this.#s.options.emit({ kind: 'notice', message })),
    ];
    void remote.lost.then((error) => {
      this.#s.lost = error;
      this.#s.abort.abort(error);
      wake.fire();
    });
    try {
      this.#root.begin();
      while (!signal.aborted && this.#s.lost === undefined && !this.#s.crashed) await this.#turn();
      if (signal.aborted) await this.#tasks.finish();
    } finally {
      this.#s.abort.abort(new DOMException('The session ended', 'AbortError'));
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      // Before its tasks are waited for: what the container never answers ends with the connection alone.
      await remote[Symbol.asyncDispose]();
      await this.#tasks.allSettled();
      this.#s.dropRacyDigests();
      for (const path of this.#s.options.localState.tree.paths()) this.#s.options.dirty.add(path);
      for (const path of this.#s.options.ancestor.state.agreed.paths()) this.#s.options.dirty.add(path);
    }
    this.#s.throwIfCrashed();
  }

  resolve(hold: Hold, choice: HeldChoice): void {
    const { holds, ancestor, localState, emit } = this.#s.options;
    holds.remove(hold.id);
    emit({ kind: 'released', id: hold.id });
    const approved = new Set(ancestor.state.facts.approved);
    for (const path of hold.paths) {
      const [local, remote] = [localState.tree.get(path), this.#s.remote.tree.get(path)];
      if (choice === 'apply') {
        if (hold.kind === 'consent') approved.add(path);
        if (hold.side !== undefined) holds.allow(path, hold.side);
      } else if (choice === 'leave') ancestor.differ(path, { local, remote });
      else if (choice === 'restore') {
        // The deleting side gets the content back; on a first sync the laptop's version is the one that stays.
        if (hold.kind === 'brake') ancestor.agree(path, undefined, undefined);
        else if (hold.kind === 'trash-cap' && hold.side !== undefined) this.#s.chosen.set(path, hold.side);
        else this.#s.chosen.set(path, local === undefined ? 'remote' : 'local');
      } else this.#s.chosen.set(path, choice);
      this.#s.lookAround(path);
      this.#s.retries.clear(path);
    }
    if (hold.kind === 'consent' && choice === 'apply') ancestor.setFacts({ approved: [...approved] });
  }

  #takeHint(hint: Hint): void {
    try {
      this.#intake.onRemoteHint(hint);
    } catch (error) {
      this.#s.crash(error);
    }
  }

  async #turn(): Promise<void> {
    const { setState, wake, signal, scanLocalIfNeeded } = this.#s.options;
    try {
      await scanLocalIfNeeded();
      if (this.#s.remoteOverflow) await this.#intake.scanRemote();
      await this.#intake.takeLocalHints();
      await this.#intake.recheckRemote();
      await this.#intake.recheckRacy();
      this.#intake.takeRetries();
      if (this.#s.options.dirty.size > 0 && (await this.#planner.reconcile())) return;
      await this.#rest.settleOrSleep();
    } catch (error) {
      if (this.#s.lost !== undefined || signal.aborted || isCancellation(error)) return;
      const lost = await Promise.race([this.#s.options.remote.lost, Promise.resolve(undefined)]);
      if (lost !== undefined) return;
      if (!isSlipwayError(error)) throw error;
      this.#s.remoteOverflow ||=
        error.code !== 'sync.local-path-missing' && error.code !== 'sync.local-path-unreadable';
      setState({ kind: 'paused', reason: error });
      await wake.wait(rootRetryMs, signal);
    }
  }
}
