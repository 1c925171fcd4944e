import type { V1Deployment } from '@kubernetes/client-node';
import { isOurs, isTakenByOthers, latestWriter, replicasOwners } from './field-ownership.ts';
import type { SessionRecord } from './record.ts';
import { containerImages, specHash } from './spec-hash.ts';

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
 * same value since. An owner who is neither we nor one from before has done so.
 */
export function decideReplicas(record: SessionRecord, target: V1Deployment | undefined): ReplicasDecision {
  if (target === undefined) return { kind: 'target-gone', recreated: false };
  if (target.metadata?.uid !== record.target.uid) return { kind: 'target-gone', recreated: true };
  const change = record.changes.find(({ path }) => path === '/spec/replicas');
  const now = target.spec?.replicas ?? 1;
  if (change === undefined || now === change.from) return { kind: 'as-before' };
  const owners = replicasOwners(target.metadata.managedFields).filter((owner) => !isOurs(owner));
  const taker = owners.find((owner) => isTakenByOthers(owner, record.formerOwners));
  if (now === change.to && taker === undefined) return { kind: 'restore', to: change.from };
  const latest = taker ?? owners[0];
  return {
    kind: 'keep',
    change: { path: 'spec.replicas', was: String(change.from), now: String(now), by: latest?.manager },
  };
}

/** What else was changed in the target's spec since Start. We never touch it, so it is only told. */
export function changesMeanwhile(record: SessionRecord, target: V1Deployment): readonly KeptChange[] {
  if (target.metadata?.uid !== record.target.uid || specHash(target) === record.before.specHash) return [];
  const images = containerImages(target);
  const changes = Object.entries(images).flatMap(([container, now]) => {
    const was = record.before.images[container];
    return was === now
      ? []
      : [
          {
            path: `containers[${container}].image`,
            was: was ?? '(none)',
            now,
            by: imageWriter(target, container),
          },
        ];
  });
  if (changes.length > 0) return changes;
  const by = latestWriter(target.metadata.managedFields, ['spec']);
  return [{ path: 'spec', was: 'as at Start', now: 'changed', by }];
}

/** Of the image itself where the server knows it, otherwise of anything in the spec. */
function imageWriter(target: V1Deployment, container: string): string | undefined {
  const item = `k:${JSON.stringify({ name: container })}`;
  const entries = target.metadata?.managedFields;
  const path = ['spec', 'template', 'spec', 'containers', item, 'image'];
  return latestWriter(entries, path) ?? latestWriter(entries, ['spec']);
}

/**
 * How many pods are missing until the workload is back: as many have to be ready as were before, by a status of
 * the present spec.
 */
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
