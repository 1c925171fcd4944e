import { isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { heartbeatMs, judgeLease, type LeaseObject, type Liveness } from './lease.ts';
import { serverTime } from './server-time.ts';
import type { SessionContext } from './session.ts';

/** Longer than one heartbeat with its own delay: a holder that is alive has written by then. */
const observationMs = heartbeatMs + 5_000;

/**
 * Judges Leases together. Where the server's times are missing it watches for {@link observationMs} whether the
 * Lease is written, so that no wrong clock can make a live session look dead.
 */
export async function judgeLeases(
  context: Pick<SessionContext, 'kube' | 'clock' | 'processes'>,
  leases: readonly LeaseObject[],
  signal?: AbortSignal,
): Promise<readonly Exclude<Liveness, { kind: 'unsure' }>[]> {
  if (leases.length === 0) return [];
  const now = await serverTime(context.kube, { signal });
  const first = leases.map((lease) => judgeLease(lease, now, context.processes));
  if (first.some((liveness) => liveness.kind === 'unsure')) await context.clock.sleep(observationMs, signal);
  return Promise.all(
    first.map(async (liveness, index) => {
      const lease = leases[index];
      if (liveness.kind !== 'unsure' || lease === undefined)
        return liveness as Exclude<Liveness, { kind: 'unsure' }>;
      const changed = await wasWritten(context, lease, signal);
      return changed ? { kind: 'live' as const, ageMs: 0 } : { kind: 'dead' as const, ageMs: observationMs };
    }),
  );
}

async function wasWritten(
  { kube }: Pick<SessionContext, 'kube'>,
  lease: LeaseObject,
  signal?: AbortSignal,
): Promise<boolean> {
  const { name = '', namespace = '', resourceVersion } = lease.metadata ?? {};
  try {
    const current = await kube.get<LeaseObject>(resourceTypes.lease, { namespace, name }, { signal });
    return current.metadata?.resourceVersion !== resourceVersion;
  } catch (error) {
    if (isSlipwayError(error, 'cluster.not-found')) return true;
    throw error;
  }
}
