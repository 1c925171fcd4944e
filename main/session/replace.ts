import type { KubernetesObject, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { ActiveSession } from './active-session.ts';
import { withSession } from './dev-object.ts';
import { explainingAnnotations } from './lease.ts';
import { fieldManager, keys } from './names.ts';
import { getDeployment, selectorText, sessionOf } from './objects.ts';
import type { SessionPlan } from './plan.ts';
import { ownershipDuringSession, replicasOwners } from './field-ownership.ts';
import { scaleTo, writeOwnership } from './scale.ts';
import type { SessionContext } from './session.ts';

export interface ReplaceOptions {
  readonly onProgress?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longest grace of pods that have to be gone before the dev pod may run. */
const goneWaitMs = 90_000;
const pollMs = 250;

/**
 * The steps from a held Lease to a dev pod on its way, each of which finds what an interrupted run left and
 * goes on from there. The record is on the Lease before the first of them, and renewed before each change.
 */
export async function replaceTarget(
  context: SessionContext,
  active: ActiveSession,
  plan: SessionPlan,
  options: ReplaceOptions,
): Promise<void> {
  const { signal, onProgress } = options;
  const manifest = withSession(plan.devObject, active.id, explainingAnnotations(active.record));
  onProgress?.(`Creating ${active.record.devObject.name}`);
  const dev = await ensureDevObject(context, active, manifest, signal);
  await active.updateRecord({ devObject: { name: active.record.devObject.name, uid: dev.metadata?.uid } });
  signal?.throwIfAborted();
  await scaleDown(context, active, options);
  signal?.throwIfAborted();
  if (active.record.exclusive) await waitForTargetToEnd(context, active, options);
  await startDevPod(context, active, signal);
  await settleOwnership(context, active, signal);
}

/** Created without a pod first: at that moment the record is in two places and nothing has happened yet. */
async function ensureDevObject(
  context: SessionContext,
  active: ActiveSession,
  manifest: V1Deployment,
  signal?: AbortSignal,
): Promise<V1Deployment> {
  const { namespace, devObject } = active.record;
  const key = { namespace, name: devObject.name };
  const existing = await getDeployment(context.kube, namespace, devObject.name, signal);
  if (existing === undefined) {
    const write = { fieldManager, signal };
    return context.kube.create<V1Deployment>(resourceTypes.deployment, namespace, manifest, write);
  }
  if (sessionOf(existing) !== active.id) {
    throw new SlipwayError({
      code: 'cluster.conflict',
      message: `${namespace}/${devObject.name} is there already and does not belong to this session.`,
      cause: 'Somebody else created it.',
      next: 'Rename or remove it, then start again.',
    });
  }
  const { uid, resourceVersion } = existing.metadata ?? {};
  const wanted = {
    ...manifest,
    metadata: { ...manifest.metadata, uid, resourceVersion },
    spec: { ...manifest.spec, replicas: existing.spec?.replicas ?? 0 },
  };
  try {
    return await context.kube.replace<V1Deployment>(resourceTypes.deployment, key, wanted, {
      fieldManager,
      signal,
    });
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.conflict')) throw error;
    return ensureDevObject(context, active, manifest, signal);
  }
}

async function scaleDown(
  context: SessionContext,
  active: ActiveSession,
  { onProgress, signal }: ReplaceOptions,
): Promise<void> {
  const { namespace, target } = active.record;
  await scaleTo(
    context,
    { namespace, name: target.name },
    async (current) => {
      if (current?.metadata?.uid !== target.uid)
        throw targetGone(namespace, target.name, current !== undefined);
      const replicas = current.spec?.replicas ?? 1;
      if (replicas === 0) return undefined;
      // Somebody may have scaled it since the record was made: the record says what is really there.
      if (active.record.changes[0]?.from !== replicas) {
        await active.updateRecord({
          changes: [{ path: '/spec/replicas', from: replicas, to: 0 }],
          formerOwners: replicasOwners(current.metadata.managedFields),
        });
      }
      onProgress?.(`Scaling ${target.name} from ${replicas} to 0`);
      return 0;
    },
    signal,
  );
}

/** So that nobody's deployment conflicts with us, and the server goes on noting who scales. */
async function settleOwnership(
  context: SessionContext,
  active: ActiveSession,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace, target, changes, formerOwners } = active.record;
  if (changes.length === 0) return;
  await writeOwnership(
    context,
    { namespace, name: target.name, uid: target.uid },
    (entries) => ownershipDuringSession(entries, formerOwners),
    signal,
  );
}

async function waitForTargetToEnd(
  context: SessionContext,
  active: ActiveSession,
  { onProgress, signal }: ReplaceOptions,
): Promise<void> {
  const { namespace, target } = active.record;
  const current = await getDeployment(context.kube, namespace, target.name, signal);
  const labelSelector = [selectorText(current?.spec?.selector), `!${keys.session}`].join(',');
  const deadline = context.clock.monotonic() + goneWaitMs;
  let said = -1;
  for (;;) {
    const { items } = await context.kube.list<V1Pod>(resourceTypes.pod, namespace, { labelSelector, signal });
    if (items.length === 0) return;
    if (items.length !== said) onProgress?.(`Waiting until ${items.length} pods of ${target.name} are gone`);
    said = items.length;
    if (context.clock.monotonic() >= deadline) {
      throw new SlipwayError({
        code: 'cluster.timeout',
        message: `The pods of ${namespace}/${target.name} do not end.`,
        cause: `${items.map((pod) => pod.metadata?.name ?? '').join(', ')} still there after ${goneWaitMs / 1000} s.`,
        next: 'See what keeps them (`kubectl describe pod`), then start again.',
      });
    }
    await context.clock.sleep(pollMs, signal);
  }
}

async function startDevPod(
  context: SessionContext,
  active: ActiveSession,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace, devObject } = active.record;
  const body = { metadata: { uid: devObject.uid }, spec: { replicas: 1 } };
  await context.kube.patch<KubernetesObject>(
    resourceTypes.deployment,
    { namespace, name: devObject.name },
    { kind: 'merge', body },
    { fieldManager, signal },
  );
}

function targetGone(namespace: string, name: string, recreated: boolean): SlipwayError {
  return new SlipwayError({
    code: 'workload.not-found',
    message: `${namespace}/${name} was ${recreated ? 'recreated' : 'deleted'} while the session started.`,
    cause: 'It is not the object that the plan was made for.',
    next: 'Start again.',
  });
}
