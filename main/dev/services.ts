import type { BoundPort, PairPaths, SessionEvent } from '../../contract/session-events.ts';
import { DisposableStore } from '../base/dispose.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { PairView } from '../sync/pair-view.ts';
import type { Held, HeldChoice, SyncEvent } from '../sync/sync-event.ts';
import type { PodSource } from './pod-source.ts';
import { announceSync } from './sync-announcement.ts';
import type { UploadAction } from './upload-actions.ts';

/** The part of a sync engine that a session runs. */
export interface PairSync {
  readonly onEvent: Event<SyncEvent>;
  inSync(signal?: AbortSignal): Promise<void>;
  resolveHeld(id: string, choice: HeldChoice): boolean;
  /** Commands after uploads. */
  readonly onAction?: Event<UploadAction> | undefined;
  /** What a window sees of it; nothing else needs it. */
  readonly view?: PairView | undefined;
  stop(): Promise<void>;
}

export interface PortHealth {
  readonly state: 'connecting' | 'active' | 'failed';
  readonly message: string;
  /** What failed, and is tried again all the same. */
  readonly error?: SlipwayError | undefined;
}

/** One forwarded port as it runs. */
export interface PortForward extends AsyncDisposable {
  readonly bound: BoundPort;
  readonly onHealth: Event<PortHealth>;
}

export interface ServiceFactories {
  /** Rejects at once for what is wrong on the laptop's side; connects when the source has a container. */
  openSync(pair: PairPaths, source: PodSource): Promise<PairSync>;
  /** Binds at once; each connection goes to the container that the source has then. */
  openForward(
    port: { readonly local: number; readonly remote: number },
    source: PodSource,
  ): Promise<PortForward>;
}

/** Syncs and forwards of one container, told by one stream of events. Disposing ends them in reverse order. */
export interface Services extends AsyncDisposable {
  readonly ports: readonly BoundPort[];
  /** Resolves after the first sync of every pair; rejects when one fails. */
  firstSync(signal: AbortSignal): Promise<void>;
  /** Rejects when a service fails for good. */
  readonly failed: Promise<never>;
}

/** Called for work that waits, after it was told; `answer` reaches the pair that holds it, now or later. */
export type OnHeld = (held: Held, answer: (choice: HeldChoice) => void) => void;

/**
 * Hears of services more closely than {@link SessionEvent} tells it. Whoever listens here is not told what a sync
 * does as session events as well: nothing is said twice, and thousands of files a second cost little.
 */
export interface ServicesObserver {
  ports(bound: readonly BoundPort[]): void;
  pair(pair: number, sync: PairSync): void;
  sync(pair: number, event: SyncEvent): void;
}

export async function openServices(options: {
  readonly factories: ServiceFactories;
  readonly source: PodSource;
  readonly pairs: readonly PairPaths[];
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  readonly emit: (event: SessionEvent) => void;
  readonly onHeld?: OnHeld | undefined;
  readonly observer?: ServicesObserver | undefined;
}): Promise<Services> {
  const { factories, source, emit, observer } = options;
  const opened = new DisposableStore();
  const syncs: PairSync[] = [];
  const bound: BoundPort[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  try {
    for (const port of options.ports) {
      const forward = opened.add(await factories.openForward(port, source));
      bound.push(forward.bound);
      const service = `forward ${forward.bound.local}:${forward.bound.remote}`;
      opened.add(forward.onHealth(announcePort(service, emit)));
    }
    observer?.ports(bound);
    for (const [index, pair] of options.pairs.entries()) {
      const sync = await factories.openSync(pair, source);
      syncs.push(sync);
      opened.defer(() => sync.stop());
      observer?.pair(index, sync);
      if (sync.onAction !== undefined)
        opened.add(sync.onAction((action) => emit({ event: 'command', ...action })));
      opened.add(
        sync.onEvent((event) => {
          const told =
            observer === undefined ? announceSync(event, `sync ${pair.local}:${pair.remote}`) : undefined;
          if (told !== undefined) emit(told);
          observer?.sync(index, event);
          if (event.kind === 'held') {
            const { held } = event;
            options.onHeld?.(held, (choice) => void sync.resolveHeld(held.id, choice));
          }
          if (event.kind === 'state' && event.state.kind === 'failed') fail(event.state.reason);
        }),
      );
    }
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ports: bound,
    failed,
    async firstSync(signal) {
      await Promise.race([Promise.all(syncs.map((sync) => sync.inSync(signal))), failed]);
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const forwardStates = { connecting: 'starting', active: 'active', failed: 'failed' } as const;

/** Tells each change of a port once, though it is tried again and again; one that had answered is `reconnecting`. */
function announcePort(service: string, emit: (event: SessionEvent) => void): (health: PortHealth) => void {
  let hadAnswered = false;
  let told = '';
  return ({ state, message }) => {
    hadAnswered ||= state === 'active';
    const next = `${state} ${message}`;
    if (next === told) return;
    told = next;
    const known = hadAnswered && state !== 'active' ? 'reconnecting' : forwardStates[state];
    emit({ event: 'health', service, state: known, message });
  };
}
