import type { V1Deployment } from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { isOurs, replicasOwners, type ManagedFieldsEntry } from './field-ownership.ts';
import { fieldManager } from './names.ts';
import { getDeployment } from './objects.ts';
import type { SessionContext } from './session.ts';

/** The controller writes status right after each scale, so a few conflicts are usual; more are a war. */
const maximumAttempts = 10;
const pauseMs = 50;

type Parts = Pick<SessionContext, 'kube' | 'clock'>;

/**
 * Sets `spec.replicas` through the scale subresource if the Deployment is still the one read, at that very
 * version. Returns false when it has changed since, so that the caller reads and decides again.
 */
async function scaleIfUnchanged(
  { kube }: Parts,
  read: V1Deployment,
  replicas: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { namespace = '', name = '', uid, resourceVersion } = read.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, spec: { replicas } };
  try {
    await kube.patch(
      resourceTypes.deployment,
      { namespace, name },
      { kind: 'merge', body },
      { subresource: 'scale', fieldManager, signal },
    );
    return true;
  } catch (error) {
    if (isSlipwayError(error, 'cluster.conflict', 'cluster.not-found')) return false;
    throw error;
  }
}

/**
 * Reads, asks `decide` for the number wanted (undefined: leave it), and writes; again while somebody else writes.
 * Resolves with what was read last, on which the decision was made.
 */
export async function scaleTo(
  parts: Parts,
  target: { readonly namespace: string; readonly name: string },
  decide: (current: V1Deployment | undefined) => number | undefined | Promise<number | undefined>,
  signal?: AbortSignal,
): Promise<V1Deployment | undefined> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    const current = await getDeployment(parts.kube, target.namespace, target.name, signal);
    const wanted = await decide(current);
    if (wanted === undefined || current === undefined) return current;
    if (await scaleIfUnchanged(parts, current, wanted, signal)) return current;
    await parts.clock.sleep(pauseMs * attempt, signal);
  }
  throw new SlipwayError({
    code: 'cluster.conflict',
    message: `${target.name} could not be scaled.`,
    cause: `Something else changed it ${maximumAttempts} times in a row.`,
    next: 'See who changes it (`kubectl get deployment --show-managed-fields`), then try again.',
  });
}

export type OwnershipResult = 'clean' | { readonly remains: string };

type Ownership = (entries: readonly ManagedFieldsEntry[]) => readonly ManagedFieldsEntry[] | undefined;

/**
 * Rewrites who owns `spec.replicas` in `managedFields`. The scale subresource ignores `managedFields` in
 * requests, so this is a patch of the Deployment itself, and of nothing but that list. Where that is not
 * allowed, it stays as the scaling left it, and what of it is ours is reported.
 */
export async function writeOwnership(
  parts: Parts,
  target: { readonly namespace: string; readonly name: string; readonly uid: string },
  ownership: Ownership,
  signal?: AbortSignal,
): Promise<OwnershipResult> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    const current = await getDeployment(parts.kube, target.namespace, target.name, signal);
    if (current === undefined || current.metadata?.uid !== target.uid) return 'clean';
    const { uid, resourceVersion, managedFields = [] } = current.metadata;
    const wanted = ownership(managedFields);
    if (wanted === undefined) return 'clean';
    const body = { metadata: { uid, resourceVersion, managedFields: wanted } };
    const key = { namespace: target.namespace, name: target.name };
    try {
      await parts.kube.patch(
        resourceTypes.deployment,
        key,
        { kind: 'merge', body },
        { fieldManager, signal },
      );
      return 'clean';
    } catch (error) {
      if (isSlipwayError(error, 'cluster.forbidden')) {
        return remaining(managedFields, `You may not patch Deployment ${target.name} itself`);
      }
      if (!isSlipwayError(error, 'cluster.conflict', 'cluster.not-found')) throw error;
      await parts.clock.sleep(pauseMs * attempt, signal);
    }
  }
  return {
    remains: `Something else changed ${target.name} all the time, so it is not cleared who owns spec.replicas.`,
  };
}

function remaining(entries: readonly ManagedFieldsEntry[], reason: string): OwnershipResult {
  const isOwned = replicasOwners(entries).some(isOurs);
  return isOwned ? { remains: `${reason}, so \`slipway\` stays the owner of spec.replicas.` } : 'clean';
}
