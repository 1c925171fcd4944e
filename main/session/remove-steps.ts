import type { V1Deployment } from '@kubernetes/client-node';
import type { Leftover } from './leftovers.ts';
import type { SessionRecord } from './record.ts';
import { decideReplicas, type KeptChange } from './restore-decision.ts';

/** What removing would do and what it would leave as it is, for people, before it is done. */
export function describeRemove(found: {
  readonly state: Leftover['state'];
  readonly record: SessionRecord | undefined;
  readonly target: V1Deployment | undefined;
  readonly devObject: string | undefined;
  readonly lease: string | undefined;
}): readonly string[] {
  const { record, devObject, lease } = found;
  const kept = record === undefined ? undefined : leftAsItIs(record, found.target);
  return [
    ...(devObject === undefined ? [] : [`remove Deployment ${devObject} and its pod`]),
    ...(kept === undefined || record === undefined
      ? []
      : [
          `leave ${record.target.kind} ${record.target.name} at ${kept.now} replicas and forget that it had ${kept.was}`,
        ]),
    ...(lease === undefined ? [] : [`remove Lease ${lease}`]),
    ...(found.state === 'ledger-only' ? ['remove the note of it on this machine'] : []),
  ];
}

/** The value that restoring would have put back. */
export function leftAsItIs(record: SessionRecord, target: V1Deployment | undefined): KeptChange | undefined {
  const decision = decideReplicas(record, target);
  if (decision.kind !== 'restore') return undefined;
  const now = String(target?.spec?.replicas ?? 1);
  return { path: 'spec.replicas', was: String(decision.to), now, by: undefined };
}
