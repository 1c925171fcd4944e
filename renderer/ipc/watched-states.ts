import type { ErrorValue } from '../../contract/errors.ts';
import type { DownFrame } from '../../contract/wire.ts';
import { mirrorFrame, type Mirror } from './mirror.ts';
import type { Link, RemoteState } from './remote-client.ts';
import { RemoteError } from './remote-error.ts';

type Listener = (state: RemoteState<unknown>) => void;

interface Watched {
  readonly key: string;
  readonly name: string;
  readonly params: unknown;
  readonly listeners: Set<{ readonly tell: Listener }>;
  /** Undefined while main does not tell it: no connection, or it failed. */
  id: number | undefined;
  mirror: Mirror;
  state: RemoteState<unknown>;
  /** A snapshot was asked for; what comes before it is of no use. */
  resyncing: boolean;
  linger: ReturnType<typeof setTimeout> | undefined;
}

const nothing: RemoteState<never> = { value: undefined, error: undefined };

/** The states that the window mirrors: one subscription for each name with its params. */
export class WatchedStates {
  readonly #link: Link;
  readonly #lingerMs: number;
  readonly #byKey = new Map<string, Watched>();
  readonly #byId = new Map<number, Watched>();

  constructor(link: Link, lingerMs: number) {
    this.#link = link;
    this.#lingerMs = lingerMs;
  }

  latest(key: string): RemoteState<unknown> {
    return this.#byKey.get(key)?.state ?? nothing;
  }

  watch(key: string, name: string, params: unknown, tell: Listener): Disposable {
    const watched = this.#byKey.get(key) ?? this.#add(key, name, params);
    clearTimeout(watched.linger);
    watched.linger = undefined;
    const listener = { tell };
    watched.listeners.add(listener);
    if (watched.id === undefined) this.#ask(watched);
    if (watched.state !== nothing) this.#link.guarded(() => tell(watched.state));
    return {
      [Symbol.dispose]: () => {
        if (!watched.listeners.delete(listener) || watched.listeners.size > 0) return;
        watched.linger = setTimeout(() => this.#drop(watched), this.#lingerMs);
      },
    };
  }

  take(frame: Extract<DownFrame, { t: 'snapshot' | 'patch' }>): void {
    const watched = this.#byId.get(frame.id);
    if (watched === undefined || (watched.resyncing && frame.t === 'patch')) return;
    const step = mirrorFrame(watched.mirror, frame);
    if (step.kind === 'gap') {
      watched.resyncing = true;
      this.#link.send({ t: 'resync', id: frame.id });
      return;
    }
    watched.resyncing = false;
    const before = watched.state;
    watched.mirror = step.mirror;
    if (before.value === step.mirror.value && before.error === undefined && before !== nothing) return;
    this.#set(watched, { value: step.mirror.value, error: undefined });
  }

  fail(id: number, error: ErrorValue): void {
    const watched = this.#byId.get(id);
    if (watched === undefined) return;
    this.#forgetId(watched);
    this.#set(watched, { value: watched.state.value, error });
  }

  /** Asks for everything that is watched, also for what failed before. */
  connected(): void {
    for (const watched of this.#byKey.values()) {
      this.#forgetId(watched);
      this.#ask(watched);
    }
  }

  disconnected(): void {
    for (const watched of this.#byKey.values()) this.#forgetId(watched);
  }

  #add(key: string, name: string, params: unknown): Watched {
    const watched: Watched = {
      key,
      name,
      params,
      listeners: new Set(),
      id: undefined,
      mirror: { value: undefined, index: undefined },
      state: nothing,
      resyncing: false,
      linger: undefined,
    };
    this.#byKey.set(key, watched);
    return watched;
  }

  #ask(watched: Watched): void {
    if (!this.#link.isOpen) return;
    const id = this.#link.nextId();
    watched.id = id;
    watched.resyncing = false;
    watched.mirror = { ...watched.mirror, index: undefined };
    this.#byId.set(id, watched);
    try {
      this.#link.send({ t: 'watch', id, name: watched.name, params: watched.params });
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      this.fail(id, error.value);
    }
  }

  #forgetId(watched: Watched): void {
    if (watched.id !== undefined) this.#byId.delete(watched.id);
    watched.id = undefined;
  }

  #drop(watched: Watched): void {
    this.#byKey.delete(watched.key);
    if (watched.id !== undefined) this.#link.send({ t: 'unwatch', id: watched.id });
    this.#forgetId(watched);
  }

  #set(watched: Watched, state: RemoteState<unknown>): void {
    watched.state = state;
    for (const listener of [...watched.listeners]) this.#link.guarded(() => listener.tell(state));
  }
}
