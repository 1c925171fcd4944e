import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { AncestorStore } from './ancestor.ts';
import type { Endpoint } from './endpoint.ts';
import type { PathRules } from './rules.ts';
import type { BrakeSettings } from './plan-safety.ts';
import type { Strategy } from './strategy.ts';
import type { Held, HeldChoice, SyncEvent, SyncState } from './sync-event.ts';
import type { Trash } from './trash.ts';

export interface SyncEngineOptions {
  readonly rules: PathRules;
  readonly strategy: Strategy;
  readonly brake: BrakeSettings;
  /** Opens the laptop's side; called once. */
  readonly local: Endpoint;
  /** Opens the container's side; called again with a larger epoch after each loss. */
  readonly connectRemote: (epoch: number, signal: AbortSignal) => Promise<Endpoint>;
  readonly ancestor: AncestorStore;
  /** The laptop's trash. */
  readonly trash: Trash;
  readonly clock: Clock;
  /** For the jitter of reconnects. */
  readonly random: () => number;
  /** Ends the engine as `stop` does. */
  readonly signal?: AbortSignal | undefined;
}

/** One running pair. Created by `createSyncEngine`, it runs until `stop`. */
export interface SyncEngine extends AsyncDisposable {
  readonly state: SyncState;
  readonly onEvent: Event<SyncEvent>;
  readonly held: readonly Held[];
  /** Resolves when the state is `in-sync` (also with something held); rejects when the engine fails or the signal aborts. */
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
