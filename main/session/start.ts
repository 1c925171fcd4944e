import { randomUUID } from 'node:crypto';
import type { V1Deployment } from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { ActiveSession, type Session } from './active-session.ts';
import { claimLease } from './held-lease.ts';
import { buildLease, type LeaseObject } from './lease.ts';
import { findSessionOf, type Leftover } from './leftovers.ts';
import { devName, fieldManager, newSessionId } from './names.ts';
import { getDeployment, sessionOf } from './objects.ts';
import { assertStartable, type MissingRight, type SessionPlan } from './plan.ts';
import type { SessionRecord } from './record.ts';
import { replicasOwners } from './field-ownership.ts';
import { replaceTarget } from './replace.ts';
import { liveError } from './restore.ts';
import type { SessionContext } from './session.ts';
import { containerImages, specHash } from './spec-hash.ts';

export interface StartOptions {
  /** From the preflight matrix; any missing right refuses the start. */
  readonly missingRights?: readonly MissingRight[] | undefined;
  /** What to do about a dead session of this user on the same target; `ask` returns it. */
  readonly ownDead?: 'ask' | 'continue' | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type StartOutcome =
  | { readonly kind: 'started'; readonly session: Session; readonly continued: boolean }
  /** Continue it (`ownDead: 'continue'`) or restore it first: that is for a person to say. */
  | { readonly kind: 'own-dead'; readonly leftover: Leftover };

/**
 * Starts a session, or continues one's own dead one. The Lease is created first and is exclusive per target: of
 * two that start at once, one wins and the other is told who. What fails after it is undone before the error
 * is thrown.
 */
export async function startSession(
  context: SessionContext,
  plan: SessionPlan,
  options: StartOptions = {},
): Promise<StartOutcome> {
  const { signal } = options;
  assertStartable(plan, options.missingRights ?? []);
  const found = await findHolder(context, plan, signal);
  if (found !== undefined && found.state === 'live') throw liveError(found);
  if (found !== undefined && !found.mine) throw foreignError(found);
  if (found !== undefined && options.ownDead !== 'continue') return { kind: 'own-dead', leftover: found };
  const target = await readUnchanged(context, plan, signal);
  const session = await (found === undefined
    ? begin(context, plan, target, options)
    : resume(context, plan, target, found, options));
  return { kind: 'started', session, continued: found !== undefined };
}

function findHolder(
  context: SessionContext,
  plan: SessionPlan,
  signal?: AbortSignal,
): Promise<Leftover | undefined> {
  const { kind, name } = plan.target;
  const { namespace } = plan.request;
  return findSessionOf(context, { namespace, kind, name, devName: devName(name) }, plan.user, signal);
}

/** The target as planned; another object or another spec by now would make a session that nobody saw. */
async function readUnchanged(
  context: SessionContext,
  plan: SessionPlan,
  signal?: AbortSignal,
): Promise<V1Deployment> {
  const { namespace } = plan.request;
  const { name, uid } = plan.target;
  const target = await getDeployment(context.kube, namespace, name, signal);
  const dev = await getDeployment(context.kube, namespace, devName(name), signal);
  if (dev !== undefined && sessionOf(dev) === undefined) {
    throw new SlipwayError({
      code: 'cluster.conflict',
      message: `There is a Deployment ${devName(name)} in ${namespace} that Slipway did not create.`,
      cause: `A session on ${name} needs this name.`,
      next: 'Rename or remove it, then start again.',
    });
  }
  if (target !== undefined && target.metadata?.uid === uid && specHash(target) === plan.target.specHash)
    return target;
  throw new SlipwayError({
    code: 'cluster.conflict',
    message: `${namespace}/${name} is not as it was when the plan was made.`,
    cause: target === undefined ? 'It was deleted.' : 'Somebody changed or recreated it.',
    next: 'Start again, which makes a new plan.',
  });
}

async function begin(
  context: SessionContext,
  plan: SessionPlan,
  target: V1Deployment,
  options: StartOptions,
): Promise<Session> {
  const record = newRecord(context, plan, target);
  const run = randomUUID();
  await context.ledger.write(record);
  options.signal?.throwIfAborted();
  const lease = await createLease(context, record, run, plan);
  const active = new ActiveSession(context, { record, lease, run });
  try {
    await replaceTarget(context, active, plan, options);
    return active;
  } catch (error) {
    await undoFailedStart(active, error, options);
    throw error;
  }
}

/** The error of the start is what matters, unless its undoing fails as well: then a leftover has to be told. */
async function undoFailedStart(active: ActiveSession, error: unknown, options: StartOptions): Promise<void> {
  try {
    await active.stop({ onProgress: options.onProgress });
  } catch (undoError) {
    if (!isSlipwayError(undoError))
      throw new AggregateError([error, undoError], 'Start and its undoing both failed');
    await active.leave();
    const why = isSlipwayError(error) ? error : undoError;
    throw new SlipwayError({
      code: 'session.restore-incomplete',
      message: `The start on ${active.namespace}/${active.target.name} was broken off and could not be undone.`,
      cause: `${why.message} ${why.causeText}`.trim(),
      next: `As soon as the cluster answers, a minute from now at the latest: slipway reset pods -n ${active.namespace}`,
      origin: error,
    });
  }
}

async function createLease(
  context: SessionContext,
  record: SessionRecord,
  run: string,
  plan: SessionPlan,
): Promise<LeaseObject> {
  try {
    const body = buildLease(record, { run, mark: context.processes?.own }, context.clock.now());
    // Not cut short by a cancellation: whether it was created has to be known to undo it.
    return await context.kube.create<LeaseObject>(resourceTypes.lease, record.namespace, body, {
      fieldManager,
    });
  } catch (error) {
    await context.ledger.remove(record.session);
    if (!isSlipwayError(error, 'cluster.conflict')) throw error;
    const winner = await findHolder(context, plan);
    throw winner === undefined ? error : liveError(winner);
  }
}

async function resume(
  context: SessionContext,
  plan: SessionPlan,
  target: V1Deployment,
  leftover: Leftover,
  options: StartOptions,
): Promise<Session> {
  const former = leftover.record;
  if (former === undefined || former.target.uid !== plan.target.uid || leftover.lease === undefined) {
    throw new SlipwayError({
      code: 'session.leftover',
      message: `Your session on ${leftover.namespace}/${leftover.target} cannot be continued.`,
      cause: 'The workload was recreated, or the session is not whole any more.',
      next: 'Restore it first with `slipway reset pods`.',
    });
  }
  const run = randomUUID();
  const lease = await claimLease(context, leftover.lease, { user: plan.user, run }, options.signal);
  if (lease === undefined) throw liveError(leftover);
  const record: SessionRecord = {
    ...former,
    ...changesOf(target, former),
    machine: context.machine,
    container: plan.container,
    exclusive: plan.exclusive.value,
    devObject: { name: former.devObject.name, uid: leftover.devObject?.metadata?.uid },
  };
  await context.ledger.write(record);
  const active = new ActiveSession(context, { record, lease, run });
  try {
    await replaceTarget(context, active, plan, options);
    return active;
  } catch (error) {
    await active.leave();
    throw error;
  }
}

/** What there is to change: the former value when it is scaled down already, otherwise the present one. */
function changesOf(
  target: V1Deployment,
  former: SessionRecord | undefined,
): Pick<SessionRecord, 'changes' | 'formerOwners'> {
  const replicas = target.spec?.replicas ?? 1;
  if (replicas === 0) return { changes: former?.changes ?? [], formerOwners: former?.formerOwners ?? [] };
  return {
    changes: [{ path: '/spec/replicas', from: replicas, to: 0 }],
    formerOwners: replicasOwners(target.metadata?.managedFields),
  };
}

function newRecord(context: SessionContext, plan: SessionPlan, target: V1Deployment): SessionRecord {
  return {
    version: 1,
    session: newSessionId(context.random(8)),
    project: plan.request.project,
    user: plan.user,
    machine: context.machine,
    createdAt: new Date(context.clock.now()).toISOString(),
    namespace: plan.request.namespace,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: plan.target.name, uid: plan.target.uid },
    container: plan.container,
    ...changesOf(target, undefined),
    readyBefore: target.status?.readyReplicas ?? 0,
    devObject: { name: devName(plan.target.name) },
    before: { specHash: specHash(target), images: containerImages(target) },
    exclusive: plan.exclusive.value,
  };
}

function foreignError(leftover: Leftover): SlipwayError {
  return new SlipwayError({
    code: 'session.leftover',
    message: `${leftover.user} left a session on ${leftover.namespace}/${leftover.target}.`,
    cause: `It was started on ${leftover.machine} at ${leftover.since} and has not been heard of for over a minute.`,
    next: `Restore it with \`slipway reset pods -n ${leftover.namespace} --force\`, then start again.`,
  });
}
