import { SlipwayError } from '../base/errors.ts';
import { ownershipGivenBack } from './field-ownership.ts';
import type { SessionRecord } from './record.ts';
import { decideReplicas, type KeptChange } from './restore-decision.ts';
import { scaleTo, writeOwnership } from './scale.ts';
import type { SessionContext } from './session.ts';

export type ReplicasRestored =
  | { readonly kind: 'restored'; readonly to: number }
  /** They are what they were, whoever set them. */
  | { readonly kind: 'as-before' }
  | { readonly kind: 'kept'; readonly change: KeptChange };

/** Why the workload's pods may not come back while the dev pod runs; undefined when they may. */
export function whyReplicasStay(record: SessionRecord): string | undefined {
  if (record.changes.length === 0) return 'They were not changed.';
  return record.exclusive
    ? 'Its pods and the dev pod may not run at the same time; Stop and Restore puts them back.'
    : undefined;
}

/** Puts one change back alone, by the same decision as the restore at the end, which then finds it done. */
export async function restoreReplicas(
  parts: Pick<SessionContext, 'kube' | 'clock'>,
  record: SessionRecord,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ReplicasRestored> {
  const { namespace, target } = record;
  const why = whyReplicasStay(record);
  if (why !== undefined) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: `The replicas of ${namespace}/${target.name} are not put back while the session goes on.`,
      cause: why,
      next: 'Stop the session, which puts everything back.',
    });
  }
  const seen = await scaleTo(
    parts,
    { namespace, name: target.name },
    (current) => {
      const wanted = decideReplicas(record, current);
      return wanted.kind === 'restore' ? wanted.to : undefined;
    },
    signal,
  );
  const decision = decideReplicas(record, seen);
  if (decision.kind === 'keep') return { kind: 'kept', change: decision.change };
  if (decision.kind === 'target-gone') {
    const now = decision.recreated ? 'another object of the same name' : 'deleted';
    return { kind: 'kept', change: { path: target.name, was: target.uid, now, by: undefined } };
  }
  await writeOwnership(
    parts,
    { namespace, name: target.name, uid: target.uid },
    (entries) => ownershipGivenBack(entries, record.formerOwners),
    signal,
  );
  return decision.kind === 'restore' ? { kind: 'restored', to: decision.to } : { kind: 'as-before' };
}
