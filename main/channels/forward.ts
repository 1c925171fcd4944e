import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../base/clock.ts';
import { isSlipwayError, type SlipwayError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Kube } from '../kube/kube.ts';
import { listenLocally, loopbackAddresses, type LocalListener } from './local-listener.ts';
import { openStream } from './open-stream.ts';
import { createPeerCheck } from './port-holder.ts';
import { probePort } from './probe.ts';
import { relay } from './relay.ts';

/** Connections carried at once; more wait until one is over. */
export const maximumConnections = 256;
/** Connections that may wait; more are reset. */
export const maximumWaiting = 1024;
/** From how many connections on it is looked, before a stream is opened, whether the program is still there. */
const busyConnections = 4;
const firstRetryMs = 500;
const longestRetryMs = 5_000;

/** A port of a pod, as it is at the moment of asking. */
export interface PodAddress {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export type ForwardHealth =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'active' }
  | { readonly kind: 'failed'; readonly error: SlipwayError };

export interface ForwardOptions {
  readonly kube: Pick<Kube, 'forward'>;
  /** Asked for each connection, so that it may lead to another pod than the last one; may wait for one to appear. */
  readonly resolve: (signal: AbortSignal) => Promise<PodAddress>;
  /** 0 lets the system choose. */
  readonly localPort: number;
  /** 127.0.0.1 and ::1 unless said otherwise. */
  readonly addresses?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  /** Bounds the opening; the forward lives until it is disposed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A local port that leads to whichever pod is current. The port is the same until disposed, which frees it at once;
 * each connection has a stream of its own, and what happens to one touches no other.
 */
export interface Forward extends AsyncDisposable {
  readonly localPort: number;
  /** What is listened on, like `127.0.0.1:8080` and `[::1]:8080`. */
  readonly bound: readonly string[];
  readonly health: ForwardHealth;
  readonly onHealth: Event<ForwardHealth>;
  /** Connections under way, waiting ones included. */
  readonly connections: number;
  /** Looks whether the pod's port answers, now: when the pod has changed, or before health is said. */
  probe(signal?: AbortSignal): Promise<ForwardHealth>;
}

/** Starts listening, and looking for the pod. Rejects with `port.in-use` or `port.forbidden`. */
export async function openForward(options: ForwardOptions): Promise<Forward> {
  options.signal?.throwIfAborted();
  const forward = new ForwardChannel(options);
  await forward.listen();
  return forward;
}

class ForwardChannel implements Forward {
  readonly #options: ForwardOptions;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #health = new Emitter<ForwardHealth>();
  readonly #active = new Set<Socket>();
  readonly #isPeerGone = createPeerCheck();
  readonly #waiting = new Set<Socket>();
  #listener: LocalListener | undefined;
  #current: ForwardHealth = { kind: 'connecting' };
  #recovering: Promise<void> | undefined;

  readonly onHealth = this.#health.event;

  constructor(options: ForwardOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async listen(): Promise<void> {
    this.#listener = await listenLocally({
      port: this.#options.localPort,
      addresses: this.#options.addresses ?? loopbackAddresses,
      onConnection: (socket) => this.#accept(socket),
    });
    this.#recover();
  }

  get localPort(): number {
    return this.#listener?.port ?? this.#options.localPort;
  }

  get bound(): readonly string[] {
    return this.#listener?.bound ?? [];
  }

  get health(): ForwardHealth {
    return this.#current;
  }

  get connections(): number {
    return this.#active.size + this.#waiting.size;
  }

  async probe(signal?: AbortSignal): Promise<ForwardHealth> {
    const both = signal === undefined ? this.#ended.signal : AbortSignal.any([signal, this.#ended.signal]);
    try {
      await probePort({ ...this.#options, clock: this.#clock, signal: both });
      this.#become({ kind: 'active' });
    } catch (error) {
      both.throwIfAborted();
      this.#fail(error);
    }
    return this.#current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    for (const socket of [...this.#active, ...this.#waiting]) socket.destroy();
    await this.#listener?.[Symbol.asyncDispose]();
    await this.#recovering;
    this.#health[Symbol.dispose]();
  }

  #accept(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.#active.size < maximumConnections) return void this.#carry(socket);
    if (this.#waiting.size >= maximumWaiting) return void socket.resetAndDestroy();
    this.#waiting.add(socket);
    socket.once('close', () => this.#waiting.delete(socket));
  }

  async #carry(socket: Socket): Promise<void> {
    this.#active.add(socket);
    const closed = new AbortController();
    const onClose = (): void => closed.abort();
    socket.once('close', onClose);
    let answered = false;
    try {
      // A burst of cancelled connections would otherwise have each of them open a stream before the next one's turn.
      if (this.#active.size > busyConnections && (await this.#isPeerGone(socket))) {
        socket.destroy();
        return;
      }
      const signal = AbortSignal.any([closed.signal, this.#ended.signal]);
      const remote = await openStream({ ...this.#options, clock: this.#clock, signal });
      socket.off('close', onClose);
      const onAnswer = (): void => {
        answered = true;
        this.#become({ kind: 'active' });
      };
      const failure = await relay(socket, remote, {
        clock: this.#clock,
        isPeerGone: this.#isPeerGone,
        onAnswer,
      });
      if (failure !== undefined) throw failure;
    } catch (error) {
      socket.resetAndDestroy();
      if (!closed.signal.aborted) this.#fail(error, answered);
    } finally {
      this.#active.delete(socket);
      this.#admitNext();
    }
  }

  #admitNext(): void {
    for (const socket of this.#waiting) {
      this.#waiting.delete(socket);
      if (socket.destroyed) continue;
      void this.#carry(socket);
      return;
    }
  }

  /** A connection that had worked and broke says nothing yet about the next one; the search finds out. */
  #fail(error: unknown, hadWorked = false): void {
    if (this.#ended.signal.aborted) return;
    if (!isSlipwayError(error)) throw error;
    this.#become(hadWorked ? { kind: 'connecting' } : { kind: 'failed', error });
    this.#recover();
  }

  #become(health: ForwardHealth): void {
    if (this.#ended.signal.aborted) return;
    if (health.kind !== 'failed' && health.kind === this.#current.kind) return;
    this.#current = health;
    this.#health.fire(health);
  }

  /** Looks for the pod until it answers; one such search at a time. */
  #recover(): void {
    this.#recovering ??= this.#search().finally(() => (this.#recovering = undefined));
  }

  async #search(): Promise<void> {
    const { signal } = this.#ended;
    try {
      for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
        if ((await this.probe()).kind === 'active') return;
        await this.#clock.sleep(waitMs * (0.75 + Math.random() / 2), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
