import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import type { PodAddress } from './forward.ts';

/** How long a connection may wait for its pod, from asking which one it is to the stream being open. */
export const openTimeoutMs = 15_000;

export interface OpenOptions {
  readonly kube: Pick<Kube, 'forward'>;
  readonly resolve: (signal: AbortSignal) => Promise<PodAddress>;
  readonly clock: Clock;
  /** Ends the stream too. */
  readonly signal: AbortSignal;
}

/** One stream to the pod that is current now. Rejects with `pod.not-ready` when there is none in time. */
export async function openStream({ kube, resolve, clock, signal }: OpenOptions): Promise<Duplex> {
  const late = new AbortController();
  const timer = clock.timer(openTimeoutMs, () => late.abort());
  const both = AbortSignal.any([signal, late.signal]);
  try {
    return await kube.forward(await resolve(both), { signal: both });
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    throw new SlipwayError({
      code: 'pod.not-ready',
      message: 'No pod could be connected to.',
      cause: `None was there within ${openTimeoutMs / 1000} seconds.`,
      next: 'See whether the workload has a running pod.',
      origin: error,
    });
  } finally {
    timer[Symbol.dispose]();
  }
}
