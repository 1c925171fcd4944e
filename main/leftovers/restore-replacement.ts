import type { V1Deployment } from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { decideReplacement, devSpaceMarks, notedReplicas, type Replacement } from './devspace-replacement.ts';
import { parentType, readParent } from './find-replacements.ts';

/** Attempts to write the workload while somebody else writes it too. */
const maximumConflicts = 5;
const fieldManager = 'slipway';

/**
 * Puts one workload back that DevSpace replaced, in DevSpace's own order: its dev Deployment goes first (by UID),
 * since both may need the same volume, then the workload gets its replicas and loses the annotation, by
 * compare and swap. Asks the objects anew, so that it can be repeated after an interruption at any point.
 */
export async function restoreReplacement(
  kube: Kube,
  replacement: Replacement,
  options: { readonly onProgress?: ((text: string) => void) | undefined; readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  const { namespace, devObject, parent } = replacement;
  const done: string[] = [];
  const before = await refreshed(kube, replacement, options.signal);
  const decision = decideReplacement(before);
  if (decision.kind === 'cannot' || parent === undefined) throw cannotError(before, decision);
  const uid = before.parentObject?.metadata?.uid;
  if (uid !== replacement.parentObject?.metadata?.uid) throw changedError(before);
  if (before.devObject !== undefined) {
    const name = before.devObject.metadata?.name ?? '';
    options.onProgress?.(`Removing ${name}`);
    try {
      const key = { namespace, name };
      await kube.delete(resourceTypes.deployment, key, {
        uid: devObject?.metadata?.uid,
        propagation: 'Background',
        signal: options.signal,
      });
      done.push(`Deployment ${name} was removed.`);
    } catch (error) {
      if (isSlipwayError(error, 'cluster.conflict')) throw changedError(before);
      if (!isSlipwayError(error, 'cluster.not-found')) throw error;
    }
  }
  options.onProgress?.(`Putting ${parent.name} back`);
  done.push(...(await restoreParent(kube, before, options.signal)));
  return done;
}

async function refreshed(kube: Kube, replacement: Replacement, signal?: AbortSignal): Promise<Replacement> {
  const { namespace, parent } = replacement;
  return {
    ...replacement,
    devObject: await currentDevObject(kube, replacement, signal),
    parentObject: parent === undefined ? undefined : await readParent(kube, namespace, parent, signal),
  };
}

async function currentDevObject(
  kube: Kube,
  { namespace, devObject }: Replacement,
  signal?: AbortSignal,
): Promise<V1Deployment | undefined> {
  const { name, uid } = devObject?.metadata ?? {};
  if (name === undefined) return undefined;
  try {
    const found = await kube.get<V1Deployment>(resourceTypes.deployment, { namespace, name }, { signal });
    return found.metadata?.uid === uid ? found : undefined;
  } catch (error) {
    if (isSlipwayError(error, 'cluster.not-found')) return undefined;
    throw error;
  }
}

async function restoreParent(
  kube: Kube,
  replacement: Replacement,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { namespace, parent, parentObject } = replacement;
  if (parent === undefined) return [];
  const expectedUid = parentObject?.metadata?.uid;
  for (let attempt = 0; ; attempt++) {
    const current = await readParent(kube, namespace, parent, signal);
    if (current === undefined || current.metadata?.uid !== expectedUid) throw changedError(replacement);
    const to = notedReplicas(current);
    if (to === undefined) return [];
    const scale = current.spec?.replicas === 0;
    const { uid, resourceVersion } = current.metadata ?? {};
    const body = {
      metadata: { uid, resourceVersion, annotations: { [devSpaceMarks.replicas]: null } },
      ...(scale ? { spec: { replicas: to } } : {}),
    };
    try {
      const key = { namespace, name: parent.name };
      await kube.patch(parentType(parent.kind), key, { kind: 'merge', body }, { fieldManager, signal });
      const name = `${parent.kind} ${parent.name}`;
      return [
        ...(scale ? [`${name} was scaled back to ${to}.`] : []),
        `The annotation ${devSpaceMarks.replicas} of ${name} was removed.`,
      ];
    } catch (error) {
      if (!isSlipwayError(error, 'cluster.conflict') || attempt >= maximumConflicts) throw error;
    }
  }
}

function cannotError(replacement: Replacement, decision: ReturnType<typeof decideReplacement>): SlipwayError {
  return new SlipwayError({
    code: 'session.restore-incomplete',
    message: `What DevSpace left at ${replacement.namespace}/${replacement.name} cannot be put back from here.`,
    cause: decision.kind === 'cannot' ? decision.reason : 'It does not say which workload it stands for.',
    next: 'Run "devspace reset pods" in the project that it belongs to.',
  });
}

function changedError(replacement: Replacement): SlipwayError {
  return new SlipwayError({
    code: 'plan.outdated',
    message: `${replacement.namespace}/${replacement.name} is another one by now.`,
    cause: 'It or its workload was deleted and created anew after it was read.',
    next: 'Look at the list again.',
  });
}
