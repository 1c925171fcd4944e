import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { AncestorStore } from './ancestor.ts';
import type { Endpoint } from './endpoint.ts';
import type { PathRules } from './rules.ts';
import type { BrakeSettings } from './plan-safety.ts';
import type { NameRules } from './paths.ts';
import type { Strategy } from './strategy.ts';
import { EngineLoop } from './engine-loop.ts';
import type { ConsentList } from './execution-consent.ts';
import type { PathKnowledge } from './file-state.ts';
import type { Held, HeldChoice, SyncEvent, SyncState } from './sync-event.ts';
import type { Trash } from './trash.ts';

export interface SyncEngineOptions {
  readonly rules: PathRules;
  readonly strategy: Strategy;
  readonly brake: BrakeSettings;
  /** Permissions are each side's own and do not travel. */
  readonly keepModes?: boolean | undefined;
  /** The laptop's side, open and watching. The engine closes it at the end. */
  readonly local: Endpoint;
  /** Opens the container's side; called again with a larger epoch after each loss. */
  readonly connectRemote: (epoch: number, signal: AbortSignal) => Promise<Endpoint>;
  /** First epoch to use; larger than any that this pair used before. */
  readonly firstEpoch: number;
  readonly ancestor: AncestorStore;
  /** The laptop's trash. */
  readonly trash: Trash;
  /** Bytes that the container's own trash keeps; undefined when nobody knows. */
  readonly remoteTrashCapBytes?: number | undefined;
  readonly clock: Clock;
  /** For the jitter of reconnects, 0 to 1. */
  readonly random: () => number;
  readonly localNames: NameRules;
  /** What is held when it comes from the container; undefined: nothing is. */
  readonly consent: ConsentList | undefined;
  /** Ends the engine as `stop` does. */
  readonly signal?: AbortSignal | undefined;
}

/** One running pair. It runs from `createSyncEngine` until `stop`. */
export interface SyncEngine extends AsyncDisposable {
  readonly state: SyncState;
  readonly onEvent: Event<SyncEvent>;
  readonly held: readonly Held[];
  /** The container's side; undefined while it is not connected. */
  readonly remote: Endpoint | undefined;
  /** Everything that is known of one path now. */
  know(path: string): PathKnowledge;
  /** Paths directly below a folder ('' is the root) that either side has or had when they were last alike. */
  knownBelow(folder: string): ReadonlySet<string>;
  /** Every path that waits, for a step or for a choice. */
  unsettled(): Iterable<string>;
  /** Resolves when the state is `in-sync` (also with something held); rejects when the engine fails, stops or the signal aborts. */
  inSync(signal?: AbortSignal): Promise<void>;
  /** Tries to reconnect at once: wake from sleep, a network change, a click. */
  nudge(): void;
  /** Looks at everything again on both sides. */
  rescan(): void;
  /** False when there is no such hold (any more) or it does not offer the choice. */
  resolveHeld(id: string, choice: HeldChoice): boolean;
  /** Ends the transfers in flight, saves the ancestor, closes both sides. */
  stop(): Promise<void>;
}

/** Starts a pair. Events begin in the next turn of the event loop, so that listeners can be added first. */
export function createSyncEngine(options: SyncEngineOptions): SyncEngine {
  const loop = new EngineLoop(options);
  loop.begin();
  return loop;
}
