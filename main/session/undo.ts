import { isSlipwayError } from '../base/errors.ts';
import type { KubernetesObject } from '@kubernetes/client-node';
import { resourceTypes } from '../kube/resource-types.ts';
import type { ResourceType } from '../kube/kube.ts';
import { ownershipGivenBack } from './field-ownership.ts';
import { keys } from './names.ts';
import { getDeployment, sessionOf } from './objects.ts';
import type { SessionRecord } from './record.ts';
import { changesMeanwhile, decideReplicas, missingReady, type KeptChange } from './restore-decision.ts';
import { scaleTo, writeOwnership } from './scale.ts';
import type { SessionContext } from './session.ts';

export interface RestoreReport {
  readonly session: string;
  readonly namespace: string;
  readonly target: string;
  /** What was done, a sentence each. */
  readonly done: readonly string[];
  /** What others changed during the session; left as it is. */
  readonly kept: readonly KeptChange[];
  /** What was not reached within the time, or could not be cleaned; empty when everything is as before. */
  readonly remains: readonly string[];
}

export interface UndoOptions {
  /** Bound on waiting for pods to come and go; 60 s unless said otherwise. */
  readonly waitMs?: number | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Parts = Pick<SessionContext, 'kube' | 'clock'>;

interface Progress {
  readonly done: string[];
  readonly kept: KeptChange[];
  readonly remains: string[];
}

const pollMs = 250;
const defaultWaitMs = 60_000;

/**
 * Puts back what a session changed and removes what it created, except its Lease. Each step asks the object
 * first, so it can be repeated after an interruption at any point. Whoever calls this holds the Lease.
 */
export async function undoSession(
  parts: Parts,
  record: SessionRecord,
  options: UndoOptions = {},
): Promise<RestoreReport> {
  const progress: Progress = { done: [], kept: [], remains: [] };
  if (record.exclusive) {
    await removeDevObject(parts, record, progress, options);
    await waitUntilGone(parts, record, progress, options);
    await restoreTarget(parts, record, progress, options);
  } else {
    await restoreTarget(parts, record, progress, options);
    await removeDevObject(parts, record, progress, options);
    await waitUntilGone(parts, record, progress, options);
  }
  await waitUntilReady(parts, record, progress, options);
  const { done, kept, remains } = progress;
  const target = `${record.target.kind}/${record.target.name}`;
  return { session: record.session, namespace: record.namespace, target, done, kept, remains };
}

async function restoreTarget(
  parts: Parts,
  record: SessionRecord,
  progress: Progress,
  options: UndoOptions,
): Promise<void> {
  const { namespace, target } = record;
  const seen = await scaleTo(
    parts,
    { namespace, name: target.name },
    (current) => {
      const wanted = decideReplicas(record, current);
      return wanted.kind === 'restore' ? wanted.to : undefined;
    },
    options.signal,
  );
  const decision = decideReplicas(record, seen);
  const name = `${target.kind} ${target.name}`;
  switch (decision.kind) {
    case 'restore':
      progress.done.push(`${name} was scaled back to ${decision.to}.`);
      break;
    case 'keep':
      progress.kept.push(decision.change);
      break;
    case 'target-gone': {
      const now = decision.recreated ? 'another object of the same name' : 'deleted';
      progress.kept.push({ path: name, was: `uid ${target.uid}`, now, by: undefined });
      return;
    }
    case 'as-before':
      break;
  }
  if (seen !== undefined) progress.kept.push(...changesMeanwhile(record, seen));
  if (record.changes.length === 0) return;
  const ownership = await writeOwnership(
    parts,
    { namespace, name: target.name, uid: target.uid },
    (entries) => ownershipGivenBack(entries, record.formerOwners),
    options.signal,
  );
  if (ownership !== 'clean') progress.remains.push(ownership.remains);
}

/** What finds a session's dev object and what that made. */
export type DevObjectRecord = Pick<SessionRecord, 'namespace' | 'session' | 'devObject'>;

/** Deletes the dev object only if it carries this session's label, and by its UID. */
export async function removeDevObject(
  { kube }: Parts,
  record: DevObjectRecord,
  progress: Progress,
  options: UndoOptions,
): Promise<void> {
  const { namespace, devObject } = record;
  const found = await getDeployment(kube, namespace, devObject.name, options.signal);
  if (found === undefined) return;
  const recorded = devObject.uid === undefined || devObject.uid === found.metadata?.uid;
  if (sessionOf(found) !== record.session || !recorded) {
    const now = 'another object of the same name';
    progress.kept.push({
      path: `Deployment ${devObject.name}`,
      was: 'created by this session',
      now,
      by: undefined,
    });
    return;
  }
  options.onProgress?.(`Removing ${devObject.name}`);
  try {
    await kube.delete(
      resourceTypes.deployment,
      { namespace, name: devObject.name },
      { uid: found.metadata?.uid, propagation: 'Background', signal: options.signal },
    );
    progress.done.push(`Deployment ${devObject.name} was removed.`);
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.not-found', 'cluster.conflict')) throw error;
  }
}

export async function waitUntilGone(
  parts: Parts,
  record: DevObjectRecord,
  progress: Progress,
  options: UndoOptions,
): Promise<void> {
  const deadline = parts.clock.monotonic() + (options.waitMs ?? defaultWaitMs);
  let said = '';
  for (;;) {
    const left = [
      ...(await ownedNames(parts, resourceTypes.replicaSet, record, options.signal)),
      ...(await ownedNames(parts, resourceTypes.pod, record, options.signal)),
    ];
    if (left.length === 0) return;
    const text = `Waiting until ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} gone`;
    if (text !== said) options.onProgress?.(text);
    said = text;
    if (parts.clock.monotonic() >= deadline) {
      progress.remains.push(`${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} still ending.`);
      return;
    }
    await parts.clock.sleep(pollMs, options.signal);
  }
}

/** Names of what the session's dev object made; what this user may not list cannot be waited for. */
async function ownedNames(
  { kube }: Parts,
  type: ResourceType,
  record: DevObjectRecord,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const labelSelector = `${keys.session}=${record.session}`;
    const list = await kube.list<KubernetesObject>(type, record.namespace, { labelSelector, signal });
    return list.items.map((item) => `${type.kind} ${item.metadata?.name ?? ''}`);
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) return [];
    throw error;
  }
}

async function waitUntilReady(
  parts: Parts,
  record: SessionRecord,
  progress: Progress,
  options: UndoOptions,
): Promise<void> {
  if (record.changes.length === 0) return;
  const deadline = parts.clock.monotonic() + (options.waitMs ?? defaultWaitMs);
  let said = -1;
  for (;;) {
    const target = await getDeployment(parts.kube, record.namespace, record.target.name, options.signal);
    if (target === undefined || target.metadata?.uid !== record.target.uid) return;
    const missing = missingReady(record, target);
    if (missing === 0) return;
    const text = `${missing} of ${target.spec?.replicas ?? 1} pods of ${record.target.name}`;
    if (missing !== said) options.onProgress?.(`Waiting for ${text}`);
    said = missing;
    if (parts.clock.monotonic() >= deadline) {
      progress.remains.push(`${text} ${missing === 1 ? 'is' : 'are'} not ready yet.`);
      return;
    }
    await parts.clock.sleep(pollMs, options.signal);
  }
}
