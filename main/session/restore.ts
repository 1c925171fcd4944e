import { randomUUID } from 'node:crypto';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { HeldLease, claimLease } from './held-lease.ts';
import { buildLease, holderIdentity, type LeaseObject } from './lease.ts';
import type { Leftover } from './leftovers.ts';
import { fieldManager } from './names.ts';
import type { SessionRecord } from './record.ts';
import type { SessionContext } from './session.ts';
import { undoSession, type RestoreReport, type UndoOptions } from './undo.ts';

export type { RestoreReport };
export type RestoreOptions = UndoOptions;

/**
 * Restores one dead session. Its Lease is taken over first, so that nobody else restores or continues it at
 * the same time and its holder, should it wake up, learns that the session is not its own any more; it is
 * removed last, so that an interrupted restore is found again.
 */
export async function restoreLeftover(
  context: SessionContext,
  leftover: Leftover,
  options: RestoreOptions = {},
): Promise<RestoreReport> {
  if (leftover.state === 'live') throw liveError(leftover);
  const { record } = leftover;
  if (record === undefined) throw unreadableError(leftover);
  const run = randomUUID();
  const lease = await takeOver(context, leftover, record, run, options.signal);
  await using held = new HeldLease({ context, lease, run });
  held.startHeartbeat();
  const report = await undoSession(context, record, options);
  await held.delete(options.signal);
  await context.ledger.remove(record.session);
  return report;
}

/** Holds the Lease of a dead session, created anew where it is gone; of several that try, one succeeds. */
export async function takeOver(
  context: SessionContext,
  leftover: Leftover,
  record: SessionRecord | undefined,
  run: string,
  signal?: AbortSignal,
): Promise<LeaseObject> {
  const { username } = await context.kube.whoAmI({ signal });
  const lease =
    leftover.lease !== undefined
      ? await claimLease(context, leftover.lease, { user: username, run }, signal)
      : record !== undefined
        ? await createAnew(context, record, run, username, signal)
        : undefined;
  if (lease !== undefined) return lease;
  throw new SlipwayError({
    code: 'session.live',
    message: `The session on ${leftover.namespace}/${leftover.target} came to life, or somebody else is restoring it.`,
    cause: 'Its Lease was written after it was read.',
    next: 'List the leftovers again.',
  });
}

async function createAnew(
  context: SessionContext,
  record: SessionRecord,
  run: string,
  username: string,
  signal?: AbortSignal,
): Promise<LeaseObject | undefined> {
  const lease = buildLease(record, { run, mark: context.processes?.own }, context.clock.now());
  const body = {
    ...lease,
    spec: { ...lease.spec, holderIdentity: holderIdentity(username, context.machine) },
  };
  try {
    return await context.kube.create<LeaseObject>(resourceTypes.lease, record.namespace, body, {
      fieldManager,
      signal,
    });
  } catch (error) {
    if (isSlipwayError(error, 'cluster.conflict')) return undefined;
    throw error;
  }
}

export function liveError(leftover: Leftover): SlipwayError {
  const heard =
    leftover.silentMs === undefined ? '' : `, last heard of ${Math.round(leftover.silentMs / 1000)} s ago`;
  return new SlipwayError({
    code: 'session.live',
    message: `${leftover.user} is in a session on ${leftover.namespace}/${leftover.target}.`,
    cause: `It runs on ${leftover.machine} since ${leftover.since}${heard}.`,
    next: `Ask ${leftover.mine ? 'yourself on that machine' : leftover.user} to stop it, or choose another workload.`,
  });
}

function unreadableError(leftover: Leftover): SlipwayError {
  return new SlipwayError({
    code: 'session.ledger-unreadable',
    message: `What session ${leftover.session} on ${leftover.namespace}/${leftover.target} changed cannot be read.`,
    cause: 'The record on its Lease and on its dev object is missing or damaged.',
    next: `Scale ${leftover.target} yourself, then delete what carries the label slipway.dev/session=${leftover.session}.`,
  });
}
