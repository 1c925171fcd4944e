import { isCancellation, isSlipwayError, messageOf } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import {
  heartbeatMs,
  holderIdentity,
  leaseDurationMs,
  microTime,
  processNote,
  type LeaseObject,
} from './lease.ts';
import { fieldManager, keys } from './names.ts';
import type { SessionContext } from './session.ts';

export type HeldLeaseEvent =
  /** Somebody else holds or removed it: this process must not change anything any more. */
  | { readonly kind: 'lost'; readonly holder: string | undefined }
  /** Renewing has failed for so long; others will take the session for dead at 60 s. */
  | { readonly kind: 'late'; readonly sinceMs: number; readonly reason: string }
  | { readonly kind: 'renewed-again' };

export interface HeldLeaseOptions {
  readonly context: Pick<SessionContext, 'kube' | 'clock'>;
  readonly lease: LeaseObject;
  readonly run: string;
  /** Asked when the Lease has vanished: true when the session is whole otherwise, so that it is written again. */
  readonly mayRecreate?: (() => Promise<boolean>) | undefined;
  readonly onEvent?: ((event: HeldLeaseEvent) => void) | undefined;
}

const retryMs = 5_000;
const lateMs = 30_000;
const maximumConflicts = 5;

/** A Lease of ours, renewed until disposed. Writes go one after another, each against the version seen last. */
export class HeldLease implements AsyncDisposable {
  readonly #options: HeldLeaseOptions;
  readonly #abort = new AbortController();
  #lease: LeaseObject;
  #last: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | undefined;
  #lost = false;

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    this.#lease = options.lease;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Grows each time another process takes the session over. */
  get epoch(): number {
    return this.#lease.spec?.leaseTransitions ?? 1;
  }

  startHeartbeat(): void {
    this.#loop ??= this.#beat();
  }

  /** Renews now, and writes annotations with it. Returns false when the Lease is not ours any more. */
  write(annotations: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const next = this.#last.then(() => this.#write(annotations));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Removes the Lease if it is still the one we held. */
  async delete(signal?: AbortSignal): Promise<void> {
    await this[Symbol.asyncDispose]();
    await deleteLease(this.#options.context, this.#lease, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#loop;
    await this.#last;
  }

  async #write(annotations: Readonly<Record<string, string>>): Promise<boolean> {
    const { kube, clock } = this.#options.context;
    for (let attempt = 0; attempt < maximumConflicts && !this.#lost; attempt++) {
      const { namespace = '', name = '', uid, resourceVersion } = this.#lease.metadata ?? {};
      const body = {
        metadata: { uid, resourceVersion, annotations },
        spec: { renewTime: microTime(clock.now()) },
      };
      try {
        this.#lease = await kube.patch<LeaseObject>(
          resourceTypes.lease,
          { namespace, name },
          { kind: 'merge', body },
          { fieldManager },
        );
        return true;
      } catch (error) {
        if (isSlipwayError(error, 'cluster.not-found')) return this.#recreate(annotations);
        if (!isSlipwayError(error, 'cluster.conflict')) throw error;
        if (!(await this.#refresh())) return false;
      }
    }
    return !this.#lost;
  }

  /** Reads the present version; false when another process holds it. */
  async #refresh(): Promise<boolean> {
    const { namespace = '', name = '' } = this.#lease.metadata ?? {};
    try {
      const current = await this.#options.context.kube.get<LeaseObject>(resourceTypes.lease, {
        namespace,
        name,
      });
      if (current.metadata?.annotations?.[keys.run] !== this.#options.run) {
        this.#lose(current.spec?.holderIdentity);
        return false;
      }
      this.#lease = current;
      return true;
    } catch (error) {
      // The next attempt to write meets the same and decides whether to recreate it.
      if (isSlipwayError(error, 'cluster.not-found')) return true;
      throw error;
    }
  }

  async #recreate(annotations: Readonly<Record<string, string>>): Promise<boolean> {
    const { mayRecreate, context } = this.#options;
    if (mayRecreate === undefined || !(await mayRecreate())) {
      this.#lose(undefined);
      return false;
    }
    const { namespace, name, labels, annotations: former } = this.#lease.metadata ?? {};
    const body = {
      ...this.#lease,
      metadata: { namespace, name, labels, annotations: { ...former, ...annotations } },
      spec: { ...this.#lease.spec, renewTime: microTime(context.clock.now()) },
    };
    try {
      this.#lease = await context.kube.create<LeaseObject>(resourceTypes.lease, namespace, body, {
        fieldManager,
      });
      return true;
    } catch (error) {
      if (!isSlipwayError(error, 'cluster.conflict')) throw error;
      this.#lose(undefined);
      return false;
    }
  }

  #lose(holder: string | undefined): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#options.onEvent?.({ kind: 'lost', holder });
  }

  async #beat(): Promise<void> {
    const { clock } = this.#options.context;
    const { signal } = this.#abort;
    let renewed = clock.monotonic();
    let late = false;
    let pause = heartbeatMs;
    try {
      while (!this.#lost) {
        await clock.sleep(pause, signal);
        try {
          if (!(await this.write())) return;
          if (late) this.#options.onEvent?.({ kind: 'renewed-again' });
          late = false;
          renewed = clock.monotonic();
          pause = heartbeatMs;
        } catch (error) {
          if (!isSlipwayError(error)) throw error;
          pause = retryMs;
          const sinceMs = clock.monotonic() - renewed;
          if (sinceMs > lateMs && !late) {
            late = true;
            this.#options.onEvent?.({ kind: 'late', sinceMs, reason: messageOf(error) ?? '' });
          }
        }
      }
    } catch (error) {
      if (!isCancellation(error) && !signal.aborted) throw error;
    }
  }
}

export async function deleteLease(
  { kube }: Pick<SessionContext, 'kube'>,
  lease: LeaseObject,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '', uid } = lease.metadata ?? {};
  try {
    await kube.delete(resourceTypes.lease, { namespace, name }, { uid, signal });
  } catch (error) {
    // Gone already, or another one by now: in both cases ours is gone.
    if (!isSlipwayError(error, 'cluster.not-found', 'cluster.conflict')) throw error;
  }
}

/**
 * Takes a dead session's Lease over by compare and swap: of several that try, one succeeds. Undefined when
 * somebody else was faster, or its holder woke up.
 */
export async function claimLease(
  { kube, clock, machine, processes }: Pick<SessionContext, 'kube' | 'clock' | 'machine' | 'processes'>,
  lease: LeaseObject,
  claim: { readonly user: string; readonly run: string },
  signal?: AbortSignal,
): Promise<LeaseObject | undefined> {
  const { namespace = '', name = '', uid, resourceVersion } = lease.metadata ?? {};
  const now = microTime(clock.now());
  const mark = processes?.own;
  // Null takes away what the former holder wrote.
  const annotations = {
    [keys.run]: claim.run,
    [keys.process]: mark === undefined ? null : processNote(claim.run, mark),
  };
  const body = {
    metadata: { uid, resourceVersion, annotations },
    spec: {
      holderIdentity: holderIdentity(claim.user, machine),
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: (lease.spec?.leaseTransitions ?? 1) + 1,
    },
  };
  try {
    const key = { namespace, name };
    return await kube.patch<LeaseObject>(
      resourceTypes.lease,
      key,
      { kind: 'merge', body },
      { fieldManager, signal },
    );
  } catch (error) {
    if (isSlipwayError(error, 'cluster.conflict', 'cluster.not-found')) return undefined;
    throw error;
  }
}
