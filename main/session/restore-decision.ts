import type { V1Deployment } from '@kubernetes/client-node';
import { isOurs, ownsField, replicasOwners } from './field-ownership.ts';
import { fieldManager } from './names.ts';
import type { SessionRecord } from './record.ts';
import { containerImages, specHash } from './spec-hash.ts';
import { timeOf } from './time-of.ts';

/** Something that somebody else changed during the session. It is kept as it is, and said. */
export interface KeptChange {
  readonly path: string;
  readonly was: string;
  readonly now: string;
  /** Field manager, when the server knows it. */
  readonly by: string | undefined;
}

export type ReplicasDecision =
  /** Still what we set, by us. */
  | { readonly kind: 'restore'; readonly to: number }
  /** Nothing to set: we never changed it, or it has its former value again. */
  | { readonly kind: 'as-before' }
  | { readonly kind: 'keep'; readonly change: KeptChange }
  | { readonly kind: 'target-gone'; readonly recreated: boolean };

/**
 * What to do about `spec.replicas`, from what was recorded and what is there now. Restored only while the
 * object is the same one (UID) and the value is still ours: it is what we set, and nobody else has written the
 * same value since. Others lost the field when we scaled, so an owner beside us has written it afterwards.
 */
export function decideReplicas(record: SessionRecord, target: V1Deployment | undefined): ReplicasDecision {
  if (target === undefined) return { kind: 'target-gone', recreated: false };
  if (target.metadata?.uid !== record.target.uid) return { kind: 'target-gone', recreated: true };
  const change = record.changes.find(({ path }) => path === '/spec/replicas');
  const now = target.spec?.replicas ?? 1;
  if (change === undefined || now === change.from) return { kind: 'as-before' };
  const [latest] = replicasOwners(target.metadata.managedFields).filter((owner) => !isOurs(owner));
  if (now === change.to && latest === undefined) return { kind: 'restore', to: change.from };
  return {
    kind: 'keep',
    change: { path: 'spec.replicas', was: String(change.from), now: String(now), by: latest?.manager },
  };
}

/** What else was changed in the target's spec since Start. We never touch it, so it is only told. */
export function changesMeanwhile(record: SessionRecord, target: V1Deployment): readonly KeptChange[] {
  if (target.metadata?.uid !== record.target.uid || specHash(target) === record.before.specHash) return [];
  const by = latestSpecWriter(target);
  const images = containerImages(target);
  const changes = Object.entries(images).flatMap(([container, now]) => {
    const was = record.before.images[container];
    return was === now ? [] : [{ path: `containers[${container}].image`, was: was ?? '(none)', now, by }];
  });
  if (changes.length > 0) return changes;
  return [{ path: 'spec', was: 'as at Start', now: 'changed', by }];
}

function latestSpecWriter(target: V1Deployment): string | undefined {
  return (target.metadata?.managedFields ?? [])
    .filter((entry) => entry.manager !== fieldManager && ownsField(entry, ['spec']))
    .sort((left, right) => (timeOf(right.time) ?? 0) - (timeOf(left.time) ?? 0))[0]?.manager;
}

/** Ready again: the controller has seen the present spec, and as many pods are ready as were before. */
export function isReadyAgain(record: SessionRecord, target: V1Deployment): boolean {
  return missingReady(record, target) === 0;
}

export function missingReady(record: SessionRecord, target: V1Deployment): number {
  const wanted = Math.min(target.spec?.replicas ?? 1, Math.max(record.readyBefore, 0));
  const seen = (target.status?.observedGeneration ?? 0) >= (target.metadata?.generation ?? 0);
  const ready = seen ? (target.status?.readyReplicas ?? 0) : 0;
  return Math.max(0, wanted - ready);
}

/** What restoring would do, for people, before it is done. */
export function describeRestore(record: SessionRecord, target: V1Deployment | undefined): readonly string[] {
  const name = `${record.target.kind} ${record.target.name}`;
  const removal = `remove Deployment ${record.devObject.name} and its pod`;
  const decision = decideReplicas(record, target);
  switch (decision.kind) {
    case 'restore':
      return [`scale ${name} from ${record.changes[0]?.to ?? 0} to ${decision.to}`, removal];
    case 'as-before':
      return [removal];
    case 'keep':
      return [
        `keep ${name} at ${decision.change.now} replicas, set by ${decision.change.by ?? 'somebody else'}`,
        removal,
      ];
    case 'target-gone':
      return [
        `leave ${name} alone: it was ${decision.recreated ? 'recreated' : 'deleted'} meanwhile`,
        removal,
      ];
  }
}
