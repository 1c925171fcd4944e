import type { V1Deployment } from '@kubernetes/client-node';
import type { Kube, WatchEvent } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { isOurs, replicasOwners } from './field-ownership.ts';
import type { SessionRecord } from './record.ts';
import { specHash } from './spec-hash.ts';

/** Something that others did to the target during a session. */
export type TargetEvent =
  /** Scaled up again by a GitOps controller, a person or an autoscaler, named by its field manager. */
  | { readonly kind: 'replicas-changed'; readonly to: number; readonly by: string }
  /** At 0 again: whoever scaled it up has taken that back. */
  | { readonly kind: 'replicas-zero' }
  | { readonly kind: 'spec-changed' }
  | { readonly kind: 'gone'; readonly recreated: boolean };

export interface SeenTarget {
  readonly uid: string | undefined;
  readonly replicas: number;
  readonly specHash: string;
}

/** What to tell when the target was seen as `before` and is `now` like this. Scaling is ours only to 0. */
export function judgeTarget(
  record: SessionRecord,
  before: SeenTarget,
  now: V1Deployment | undefined,
): { readonly seen: SeenTarget; readonly events: readonly TargetEvent[] } {
  if (now?.metadata?.uid !== record.target.uid) {
    const seen = { ...before, uid: now?.metadata?.uid };
    const isNews = before.uid !== seen.uid;
    return { seen, events: isNews ? [{ kind: 'gone', recreated: now !== undefined }] : [] };
  }
  const seen = { uid: now.metadata.uid, replicas: now.spec?.replicas ?? 1, specHash: specHash(now) };
  const events: TargetEvent[] = [];
  if (seen.replicas !== before.replicas) {
    const owners = replicasOwners(now.metadata.managedFields);
    const by = (owners.find((owner) => !isOurs(owner)) ?? owners[0])?.manager;
    if (seen.replicas === 0) events.push({ kind: 'replicas-zero' });
    else events.push({ kind: 'replicas-changed', to: seen.replicas, by: by ?? 'an unknown manager' });
  }
  if (seen.specHash !== before.specHash) events.push({ kind: 'spec-changed' });
  return { seen, events };
}

/**
 * Watches the target from the moment it is scaled down and tells what others do to it. It tells only: scaling
 * down against a controller that scales up would be a war without a winner.
 */
export function watchTarget(
  kube: Kube,
  record: SessionRecord,
  listener: (event: TargetEvent) => void,
): AsyncDisposable {
  const start = { uid: record.target.uid, specHash: record.before.specHash };
  let seen: SeenTarget | undefined;
  const look = (target: V1Deployment | undefined): void => {
    // Until our own scaling has arrived, the former number is no news.
    if (seen === undefined) {
      if (target !== undefined && (target.spec?.replicas ?? 1) !== 0) return;
      seen = { ...start, replicas: 0 };
    }
    const judged = judgeTarget(record, seen, target);
    seen = judged.seen;
    judged.events.forEach(listener);
  };
  const { namespace, target } = record;
  return kube.watch<V1Deployment>(
    resourceTypes.deployment,
    namespace,
    { fieldSelector: `metadata.name=${target.name}` },
    (event: WatchEvent<V1Deployment>) => {
      switch (event.kind) {
        case 'reset':
          return look(event.items[0]);
        case 'added':
        case 'modified':
          return look(event.object);
        case 'deleted':
          return look(undefined);
        case 'stale':
          return;
      }
    },
  );
}
