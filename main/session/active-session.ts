import type { Event } from '../base/event.ts';
import { Emitter } from '../base/event.ts';
import { SlipwayError } from '../base/errors.ts';
import { observePod, type PodState } from './current-pod.ts';
import { HeldLease, type HeldLeaseEvent } from './held-lease.ts';
import { explainingAnnotations, type LeaseObject } from './lease.ts';
import { getDeployment } from './objects.ts';
import type { SessionRecord } from './record.ts';
import { restoreReplicas, type ReplicasRestored } from './restore-replicas.ts';
import type { SessionContext } from './session.ts';
import { undoSession, type RestoreReport, type UndoOptions } from './undo.ts';
import { waitForPod, type DevPod, type WaitOptions } from './wait-for-pod.ts';
import { watchTarget, type TargetEvent } from './watch-target.ts';

/** What a running session has to tell. Nothing is done about any of it here. */
export type SessionEvent =
  | { readonly kind: 'lease'; readonly event: HeldLeaseEvent }
  | { readonly kind: 'target'; readonly event: TargetEvent };

/** A session of this process: its Lease is renewed until `stop` or `leave`. */
export interface Session {
  readonly id: string;
  readonly namespace: string;
  readonly target: SessionRecord['target'];
  /** Name of the dev Deployment. */
  readonly devName: string;
  readonly container: string;
  /** Grows each time the session is taken over; helpers of an earlier one must end. */
  readonly epoch: number;
  readonly onEvent: Event<SessionEvent>;
  /** What it changed, as Start left it. */
  readonly record: SessionRecord;
  /** Puts the workload's replicas back while the session goes on; its pods then run beside the dev pod. */
  restoreReplicas(options?: { readonly signal?: AbortSignal }): Promise<ReplicasRestored>;
  /** Resolves when the dev container runs; rejects with cause and next step, and leaves the session as it is. */
  waitForPod(options?: WaitOptions): Promise<DevPod>;
  /** Which pod it is now, and again whenever pod, container or restart count change. */
  observePod(listener: (state: PodState) => void): AsyncDisposable;
  /** Puts everything back. May be called again after it failed. */
  stop(options?: UndoOptions): Promise<RestoreReport>;
  /** Ends renewing and watching, and leaves everything as it is: a leftover, to be continued or restored. */
  leave(): Promise<void>;
}

export class ActiveSession implements Session {
  readonly #context: SessionContext;
  readonly #lease: HeldLease;
  readonly #watch: AsyncDisposable;
  readonly #emitter = new Emitter<SessionEvent>();
  #record: SessionRecord;
  /** What the workload was scaled back to by this session itself: no news when the watch sees it. */
  #restoredTo: number | undefined;

  constructor(
    context: SessionContext,
    held: { readonly record: SessionRecord; readonly lease: LeaseObject; readonly run: string },
  ) {
    this.#context = context;
    this.#record = held.record;
    this.#lease = new HeldLease({
      context,
      lease: held.lease,
      run: held.run,
      mayRecreate: () => this.#isWhole(),
      onEvent: (event) => this.#emitter.fire({ kind: 'lease', event }),
    });
    this.#lease.startHeartbeat();
    this.#watch = watchTarget(context.kube, held.record, (event) => {
      if (event.kind === 'replicas-changed' && event.to === this.#restoredTo) return;
      this.#emitter.fire({ kind: 'target', event });
    });
  }

  get record(): SessionRecord {
    return this.#record;
  }

  get id(): string {
    return this.#record.session;
  }

  get namespace(): string {
    return this.#record.namespace;
  }

  get target(): SessionRecord['target'] {
    return this.#record.target;
  }

  get devName(): string {
    return this.#record.devObject.name;
  }

  get container(): string {
    return this.#record.container;
  }

  get epoch(): number {
    return this.#lease.epoch;
  }

  get onEvent(): Event<SessionEvent> {
    return this.#emitter.event;
  }

  /** Ledger first, then Lease: what is about to change is written before it changes. */
  async updateRecord(change: Partial<SessionRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await this.#context.ledger.write(this.#record);
    if (!(await this.#lease.write(explainingAnnotations(this.#record)))) throw this.#lostError();
  }

  waitForPod(options?: WaitOptions): Promise<DevPod> {
    return waitForPod(this.#context, this.#record, options);
  }

  observePod(listener: (state: PodState) => void): AsyncDisposable {
    return observePod(this.#context.kube, this.#record, listener);
  }

  async restoreReplicas(options: { readonly signal?: AbortSignal } = {}): Promise<ReplicasRestored> {
    if (!(await this.#lease.write())) throw this.#lostError();
    this.#restoredTo = this.#record.changes[0]?.from;
    return restoreReplicas(this.#context, this.#record, options);
  }

  async stop(options: UndoOptions = {}): Promise<RestoreReport> {
    await this.#watch[Symbol.asyncDispose]();
    // Renewing proves that nobody has taken the session over while this process was asleep.
    if (!(await this.#lease.write())) {
      await this.leave();
      await this.#context.ledger.remove(this.id);
      throw this.#lostError();
    }
    const report = await undoSession(this.#context, this.#record, options);
    await this.#lease.delete(options.signal);
    await this.#context.ledger.remove(this.id);
    this.#emitter[Symbol.dispose]();
    return report;
  }

  async leave(): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
    await this.#lease[Symbol.asyncDispose]();
    this.#emitter[Symbol.dispose]();
  }

  async #isWhole(): Promise<boolean> {
    const { devObject, namespace } = this.#record;
    const dev = await getDeployment(this.#context.kube, namespace, devObject.name);
    return dev !== undefined && dev.metadata?.uid === devObject.uid;
  }

  #lostError(): SlipwayError {
    return new SlipwayError({
      code: 'session.not-found',
      message: `The session on ${this.namespace}/${this.target.name} is not this process's any more.`,
      cause: 'Somebody restored it or took it over while it was not heard of.',
      next: 'See `slipway leftovers`, and start again if you need it.',
    });
  }
}
