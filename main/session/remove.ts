import { randomUUID } from 'node:crypto';
import { isSlipwayError } from '../base/errors.ts';
import { HeldLease } from './held-lease.ts';
import type { Leftover } from './leftovers.ts';
import { getDeployment } from './objects.ts';
import { leftAsItIs } from './remove-steps.ts';
import { liveError, takeOver } from './restore.ts';
import type { SessionContext } from './session.ts';
import {
  removeDevObject,
  waitUntilGone,
  type DevObjectRecord,
  type RestoreReport,
  type UndoOptions,
} from './undo.ts';

/**
 * Removes what one dead session added: its dev object, its Lease and the note in this machine's ledger, each by its
 * UID and the session's label. The workload stays as it is now, so this is also possible where what was changed
 * cannot be read any more. The Lease is held meanwhile, so that nobody restores or continues the session.
 */
export async function removeLeftover(
  context: SessionContext,
  leftover: Leftover,
  options: UndoOptions = {},
): Promise<RestoreReport> {
  if (leftover.state === 'live') throw liveError(leftover);
  const done: string[] = [];
  const remains: string[] = [];
  const kept = [...(await keptOf(context, leftover, options.signal))];
  const progress = { done, kept, remains };
  if (leftover.state !== 'ledger-only') {
    const canHold = leftover.lease !== undefined || leftover.record !== undefined;
    const run = randomUUID();
    const lease = canHold
      ? await takeOver(context, leftover, leftover.record, run, options.signal)
      : undefined;
    await using held = lease === undefined ? undefined : new HeldLease({ context, lease, run });
    held?.startHeartbeat();
    const added = addedBy(leftover);
    if (added !== undefined) {
      await removeDevObject(context, added, progress, options);
      await waitUntilGone(context, added, progress, options);
    }
    await held?.delete(options.signal);
    if (leftover.lease !== undefined) {
      done.push(`Lease ${leftover.lease.metadata?.name ?? ''} was removed.`);
    }
  }
  if (leftover.record !== undefined) await context.ledger.remove(leftover.session);
  if (leftover.state === 'ledger-only') done.push('The note of it on this machine was removed.');
  const { session, namespace, target } = leftover;
  return { session, namespace, target, done, kept, remains };
}

function addedBy({ namespace, session, devObject, record }: Leftover): DevObjectRecord | undefined {
  const name = devObject?.metadata?.name;
  if (name !== undefined) return { namespace, session, devObject: { name, uid: devObject?.metadata?.uid } };
  return record === undefined ? undefined : { namespace, session, devObject: record.devObject };
}

async function keptOf(
  { kube }: SessionContext,
  { record }: Leftover,
  signal?: AbortSignal,
): Promise<RestoreReport['kept']> {
  if (record === undefined) return [];
  try {
    const kept = leftAsItIs(record, await getDeployment(kube, record.namespace, record.target.name, signal));
    return kept === undefined ? [] : [kept];
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) return [];
    throw error;
  }
}
