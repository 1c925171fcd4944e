import type { SlipwayError } from '../base/errors.ts';
import { isCancellation, isSlipwayError, messageOf } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { reconnectPause } from './backoff.ts';
import type { Endpoint } from './endpoint.ts';
import type { SyncEngine, SyncEngineOptions } from './engine.ts';
import { EngineSession } from './engine-session.ts';
import type { PathKnowledge } from './file-state.ts';
import { HintQueue } from './hint-queue.ts';
import { HoldRegistry } from './hold-registry.ts';
import { SideState } from './side-state.ts';
import type { Held, HeldChoice, SyncEvent, SyncState } from './sync-event.ts';
import { Wake } from './wake.ts';

/** How long to wait before a folder that cannot be read is tried again. */
const rootRetryMs = 1000;
/** A connection that stood for longer than this was a good one. */
const lastingMs = 5_000;

/** The outer loop: one scan of the laptop, then one {@link EngineSession} per connection until stopped. */
export class EngineLoop implements SyncEngine {
  readonly #options: SyncEngineOptions;
  readonly #events = new Emitter<SyncEvent>();
  readonly #stop = new AbortController();
  readonly #wake: Wake;
  /** Ends a pause between two connections. */
  readonly #reconnect: Wake;
  readonly #holds = new HoldRegistry();
  readonly #localHints = new HintQueue();
  readonly #dirty = new Set<string>();
  readonly #local: SideState;
  #state: SyncState = { kind: 'scanning' };
  #localOverflow = true;
  #running: Promise<void> = Promise.resolve();
  #session: EngineSession | undefined;
  readonly onEvent = this.#events.event;

  constructor(options: SyncEngineOptions) {
    this.#options = options;
    this.#wake = new Wake(options.clock);
    this.#reconnect = new Wake(options.clock);
    const { agreed } = options.ancestor.state;
    this.#local = new SideState(
      options.rules,
      (path) => agreed.get(path),
      (path) => this.#dirty.add(path),
      // Between two sessions there is nothing to do: the next one decides about everything.
      (path) => this.#session?.lookAround(path),
    );
  }

  get state(): SyncState {
    return this.#state;
  }

  get held(): readonly Held[] {
    return this.#holds.all;
  }

  get remote(): Endpoint | undefined {
    return this.#session?.remote;
  }

  know(path: string): PathKnowledge {
    const { agreed, differences } = this.#options.ancestor.state;
    return {
      local: this.#local.tree.get(path),
      remote: this.#session?.remoteTree.get(path),
      problem: this.#holds.of(path)?.reason ?? this.#session?.problemOf(path),
      agreed: agreed.get(path),
      held: this.#holds.of(path)?.kind,
      waiting: this.#dirty.has(path) || this.#localHints.has(path) || this.#session?.isBusy(path) === true,
      difference: differences.get(path),
    };
  }

  knownBelow(folder: string): ReadonlySet<string> {
    const remote = this.#session?.remoteTree.children(folder) ?? [];
    const agreed = this.#options.ancestor.state.agreed.children(folder);
    return new Set([...this.#local.tree.children(folder), ...agreed, ...remote]);
  }

  *unsettled(): Generator<string> {
    yield* this.#dirty;
    for (const hold of this.#holds.all) yield* hold.paths;
  }

  begin(): void {
    const { signal } = this.#options;
    if (signal?.aborted === true) this.#stop.abort(signal.reason);
    else signal?.addEventListener('abort', () => void this.stop(), { once: true });
    this.#running = this.#run();
  }

  inSync(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (state: SyncState): boolean => {
        if (state.kind === 'in-sync') resolve();
        else if (state.kind === 'failed') reject(state.reason);
        else if (state.kind === 'stopped') reject(new DOMException('The sync was stopped', 'AbortError'));
        else return false;
        return true;
      };
      if (signal?.aborted === true) return reject(signal.reason as Error);
      if (check(this.#state)) return undefined;
      const subscription = this.onEvent((event) => {
        if (event.kind === 'state' && check(event.state)) subscription[Symbol.dispose]();
      });
      signal?.addEventListener('abort', () => {
        subscription[Symbol.dispose]();
        reject(signal.reason as Error);
      });
      return undefined;
    });
  }

  nudge(): void {
    this.#wake.fire();
    if (this.#session === undefined) this.#reconnect.fire();
  }

  rescan(): void {
    this.#localOverflow = true;
    this.#session?.rescan();
    this.#wake.fire();
  }

  resolveHeld(id: string, choice: HeldChoice): boolean {
    const hold = this.#holds.find(id);
    if (hold === undefined || !hold.choices.includes(choice) || this.#session === undefined) return false;
    this.#session.resolve(hold, choice);
    this.#wake.fire();
    return true;
  }

  async stop(): Promise<void> {
    if (!this.#stop.signal.aborted) this.#stop.abort(new DOMException('The sync was stopped', 'AbortError'));
    this.#wake.fire();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    // Listeners are added in the turn in which the engine was made.
    await Promise.resolve();
    const { local } = this.#options;
    const subscriptions = [
      local.onHint((hint) => {
        if (hint.overflow) this.#localOverflow = true;
        const now = this.#options.clock.monotonic();
        for (const path of hint.paths) this.#localHints.add(path, now);
        for (const path of hint.folders ?? []) this.#localHints.add(path, now, true);
        this.#wake.fire();
      }),
      local.onNotice((message) => this.#events.fire({ kind: 'notice', message })),
    ];
    let final: SyncState = { kind: 'stopped' };
    try {
      await this.#scanLocal();
      await this.#sessions();
    } catch (error) {
      if (!this.#stop.signal.aborted && !isCancellation(error))
        final = { kind: 'failed', reason: asError(error) };
    } finally {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      await this.#options.ancestor.flush().catch((error: unknown) => this.#tellUnsaved(error));
      await local[Symbol.asyncDispose]();
      this.#setState(final);
    }
  }

  async #sessions(): Promise<void> {
    let epoch = this.#options.firstEpoch;
    let failures = 0;
    let connected = false;
    let reason: SlipwayError | undefined;
    while (!this.#stop.signal.aborted) {
      this.#setState({ kind: 'connecting', attempt: failures + 1, reason });
      let remote: Endpoint;
      try {
        remote = await this.#options.connectRemote(epoch++, this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        // A first connection that fails is the user's to solve; later ones come back by themselves.
        if (!connected || !isSlipwayError(error) || error.code === 'helper.superseded') throw error;
        failures++;
        reason = error;
        await this.#pause(failures, reason);
        continue;
      }
      connected = true;
      const began = this.#options.clock.monotonic();
      const session = await this.#runSession(remote);
      reason = session.lost;
      // A connection that broke at once counts as a failure, so that reconnects do not spin; one that got something
      // done before it did is tried again soon, however often.
      const lasted = this.#options.clock.monotonic() - began > lastingMs;
      failures = lasted ? 0 : session.progressed ? 1 : failures + 1;
      if (this.#stop.signal.aborted || lasted) continue;
      this.#setState({ kind: 'connecting', attempt: failures, reason });
      await this.#pause(failures, reason);
    }
  }

  /** Until the next try. Edits do not shorten it, or a file that is written all the time would make it spin. */
  async #pause(failures: number, reason: SlipwayError | undefined): Promise<void> {
    const pause = reconnectPause(failures, this.#options.random(), reason?.code);
    await this.#reconnect.wait(pause, this.#stop.signal);
  }

  /** Resolves with why the connection was lost, undefined after a stop, and whether it was good for anything. */
  async #runSession(
    remote: Endpoint,
  ): Promise<{ readonly lost: SlipwayError | undefined; readonly progressed: boolean }> {
    let progressed = false;
    const session = new EngineSession({
      ...this.#options,
      remote,
      localState: this.#local,
      localHints: this.#localHints,
      dirty: this.#dirty,
      holds: this.#holds,
      wake: this.#wake,
      signal: this.#stop.signal,
      emit: (event) => {
        progressed ||= event.kind === 'file';
        this.#events.fire(event);
      },
      setState: (state) => {
        progressed ||= state.kind === 'in-sync';
        this.#setState(state);
      },
      scanLocalIfNeeded: () => this.#scanLocal(),
    });
    this.#session = session;
    try {
      await session.run();
      return { lost: session.lost, progressed };
    } finally {
      this.#session = undefined;
    }
  }

  /** Looks at the whole folder where events were lost or none came yet. Waits while the folder is gone. */
  async #scanLocal(): Promise<void> {
    let first = this.#state.kind === 'scanning';
    while (this.#localOverflow) {
      this.#localOverflow = false;
      try {
        const scan = await this.#options.local.scan({ signal: this.#stop.signal });
        this.#noticeOtherRoot();
        for (const problem of this.#local.mergeScan(scan))
          this.#events.fire({ kind: 'problem', side: 'local', problem });
      } catch (error) {
        this.#localOverflow = true;
        if (!isSlipwayError(error) || first) throw error;
        this.#setState({ kind: 'paused', reason: error });
        await this.#wake.wait(rootRetryMs, this.#stop.signal);
        if (this.#stop.signal.aborted) return;
      }
      first = false;
    }
  }

  /** Another folder at the same path: what is missing in it was not deleted, so the common past does not count. */
  #noticeOtherRoot(): void {
    const { ancestor, local } = this.#options;
    const { localRoot } = ancestor.state.facts;
    const { root } = local;
    if (
      localRoot !== undefined &&
      (localRoot.inode !== root.inode || localRoot.container !== root.container)
    ) {
      for (const path of [...ancestor.state.agreed.paths()]) {
        ancestor.agree(path, undefined, undefined);
        this.#dirty.add(path);
      }
      this.#events.fire({
        kind: 'notice',
        message: 'The folder is another one than before: nothing missing in it counts as deleted',
      });
    }
    if (localRoot === undefined || localRoot.inode !== root.inode) ancestor.setFacts({ localRoot: root });
  }

  #setState(state: SyncState): void {
    const before = this.#state;
    this.#state = state;
    if (JSON.stringify(before) === JSON.stringify(state)) return;
    this.#events.fire({ kind: 'state', state });
  }

  #tellUnsaved(error: unknown): void {
    this.#events.fire({
      kind: 'notice',
      message: `What was agreed could not be saved: ${messageOf(error) ?? ''}`,
    });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}
