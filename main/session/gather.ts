import type {
  KubernetesObject,
  V1Deployment,
  V1Namespace,
  V1Pod,
  V1ResourceQuota,
  V1Service,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { SlipwayError, isSlipwayError } from '../base/errors.ts';
import type { ResourceType } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { judgeDryRun, type AdmissionVerdict } from './admission.ts';
import { buildDevObject, withSession } from './dev-object.ts';
import { replicasOwners } from './field-ownership.ts';
import { holderIdentity } from './lease.ts';
import { findSessionOf } from './leftovers.ts';
import { devName, fieldManager, keys } from './names.ts';
import { getIfThere, selectorText, sessionOf } from './objects.ts';
import { findOwners, ownerWarning } from './owners.ts';
import { chooseContainer, type RoutedService, type SessionPlan, type SessionRequest } from './plan.ts';
import { judgeQuota, sessionObjects, type QuotaVerdict } from './quota.ts';
import type { SessionContext } from './session.ts';
import { specHash } from './spec-hash.ts';

/** Stands in for a session's identity while nothing is created. */
const sampleSession = '0000000000';

/**
 * Reads what a plan is made of. Only the target itself has to be readable; what else may not be read is listed
 * as unknown, because a developer's rights often end at the namespace's workloads.
 */
export async function gatherPlan(
  context: SessionContext,
  request: SessionRequest,
  options: { readonly signal?: AbortSignal } = {},
): Promise<SessionPlan> {
  const { signal } = options;
  const { namespace } = request;
  const target = await readTarget(context, request, signal);
  const where = `${namespace}/${request.target.name}`;
  const container = chooseContainer(target.spec?.template.spec, request.container, where);
  const { project, changes } = request;
  const { manifest, diff, droppedProbes } = buildDevObject(target, { container, project, changes });
  const unknown: string[] = [];
  const list = lister(context, namespace, unknown, signal);
  const { username: user } = await context.kube.whoAmI({ signal });
  const [pods, autoscalers, services, quotas, dryRun, held] = await Promise.all([
    list<V1Pod>(resourceTypes.pod, selectorText(target.spec?.selector)),
    list<V2HorizontalPodAutoscaler>(resourceTypes.horizontalPodAutoscaler),
    list<V1Service>(resourceTypes.service),
    list<V1ResourceQuota>(resourceTypes.resourceQuota),
    dryRunPod(context, namespace, manifest, signal),
    findHolder(context, request, user, unknown, signal),
  ]);
  const targetPods = pods?.filter(
    (pod) => sessionOf(pod) === undefined && pod.metadata?.labels?.[keys.session] === undefined,
  );
  const quota: QuotaVerdict =
    quotas === undefined || targetPods === undefined
      ? { kind: 'unknown', reason: 'Quotas or pods may not be listed.' }
      : judgeQuota({ quotas, freed: targetPods, added: dryRun.pod, addedObjects: sessionObjects });
  if (dryRun.verdict.kind === 'unknown') unknown.push(`Admission: ${dryRun.verdict.reason}`);
  const owners = findOwners(target, autoscalers ?? []);
  const replicas = target.spec?.replicas ?? 1;
  return {
    request,
    user,
    target: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: request.target.name,
      uid: target.metadata?.uid ?? '',
      replicas,
      ready: target.status?.readyReplicas ?? 0,
      specHash: specHash(target),
      formerOwners: replicasOwners(target.metadata?.managedFields),
    },
    container,
    devObject: manifest,
    podDiff: diff,
    droppedProbes,
    owners,
    services: routedServices(services ?? [], dryRun.pod),
    admission: dryRun.verdict,
    quota,
    exclusive: exclusiveness(target, quota),
    ...(held === undefined ? {} : { heldBy: held }),
    warnings: warningsOf(owners, replicas, droppedProbes, held !== undefined),
    unknown,
  };
}

async function readTarget(
  context: SessionContext,
  request: SessionRequest,
  signal?: AbortSignal,
): Promise<V1Deployment> {
  const { namespace, target } = request;
  if (target.kind !== 'Deployment') {
    throw new SlipwayError({
      code: 'workload.unsupported',
      message: `A session on a ${target.kind} is not possible.`,
      cause: 'Only Deployments can be replaced.',
      next: 'Name a Deployment, or use `slipway sync`, which replaces nothing.',
    });
  }
  await assertNamespace(context, namespace, signal);
  const key = { namespace, name: target.name };
  const found = await getIfThere<V1Deployment>(context.kube, resourceTypes.deployment, key, { signal });
  if (found === undefined) throw await missingTarget(context, request, signal);
  if (sessionOf(found) !== undefined) {
    throw new SlipwayError({
      code: 'workload.unsupported',
      message: `${namespace}/${target.name} is the dev object of a session.`,
      cause: `It stands in for ${found.metadata?.annotations?.[keys.target] ?? 'another workload'}.`,
      next: 'Name the workload itself.',
    });
  }
  if (found.metadata?.deletionTimestamp !== undefined) {
    throw new SlipwayError({
      code: 'workload.not-found',
      message: `${namespace}/${target.name} is being deleted.`,
      cause: 'Its deletion has begun and only waits for its finalizers.',
      next: 'Deploy it again, then start.',
    });
  }
  return found;
}

async function assertNamespace(
  context: SessionContext,
  namespace: string,
  signal?: AbortSignal,
): Promise<void> {
  let found: V1Namespace | undefined;
  try {
    found = await getIfThere<V1Namespace>(
      context.kube,
      resourceTypes.namespace,
      { name: namespace },
      { signal },
    );
  } catch (error) {
    // Rights in a namespace do not include reading the namespace itself.
    if (isSlipwayError(error, 'cluster.forbidden')) return;
    throw error;
  }
  if (found !== undefined && found.status?.phase !== 'Terminating') return;
  throw new SlipwayError({
    code: 'namespace.not-found',
    message:
      found === undefined
        ? `There is no namespace ${namespace}.`
        : `Namespace ${namespace} is being deleted.`,
    cause: `Context ${context.kube.contextName} leads to ${context.kube.server}.`,
    next: 'Choose another namespace or context.',
  });
}

async function missingTarget(
  context: SessionContext,
  { namespace, target }: SessionRequest,
  signal?: AbortSignal,
): Promise<SlipwayError> {
  const unknown: string[] = [];
  const others =
    (await lister(context, namespace, unknown, signal)<V1Deployment>(resourceTypes.deployment)) ?? [];
  const names = others
    .filter((item) => sessionOf(item) === undefined)
    .map((item) => item.metadata?.name ?? '');
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
  return new SlipwayError({
    code: 'workload.not-found',
    message: `There is no Deployment ${target.name} in namespace ${namespace}.`,
    cause: names.length === 0 ? 'No Deployment is seen there.' : `There are ${shown}.`,
    next: 'Name one of the namespace, or choose another namespace with -n.',
  });
}

type Lister = <T extends KubernetesObject>(
  type: ResourceType,
  labelSelector?: string,
) => Promise<readonly T[] | undefined>;

/** Lists that may be forbidden: undefined then, and noted. */
function lister(context: SessionContext, namespace: string, unknown: string[], signal?: AbortSignal): Lister {
  return async <T extends KubernetesObject>(type: ResourceType, labelSelector?: string) => {
    try {
      return (await context.kube.list<T>(type, namespace, { labelSelector, signal })).items;
    } catch (error) {
      if (!isSlipwayError(error, 'cluster.forbidden', 'cluster.not-found')) throw error;
      unknown.push(`${type.kind}s may not be listed.`);
      return undefined;
    }
  };
}

/** The pod as the server would store it, when it admits it; otherwise as we would ask for it. */
async function dryRunPod(
  context: SessionContext,
  namespace: string,
  manifest: V1Deployment,
  signal?: AbortSignal,
): Promise<{ readonly pod: V1Pod; readonly verdict: AdmissionVerdict }> {
  const template = withSession(manifest, sampleSession, {}).spec?.template;
  const pod: V1Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template?.metadata, generateName: `${manifest.metadata?.name ?? 'dev'}-` },
    ...(template?.spec === undefined ? {} : { spec: template.spec }),
  };
  try {
    const options = { dryRun: true, fieldManager, signal };
    const admitted = await context.kube.create<V1Pod>(resourceTypes.pod, namespace, pod, options);
    return { pod: admitted, verdict: { kind: 'admitted' } };
  } catch (error) {
    return { pod, verdict: judgeDryRun(error) };
  }
}

async function findHolder(
  context: SessionContext,
  { namespace, target }: SessionRequest,
  user: string,
  unknown: string[],
  signal?: AbortSignal,
): Promise<SessionPlan['heldBy']> {
  const { kind, name } = target;
  try {
    const found = await findSessionOf(
      context,
      { namespace, kind, name, devName: devName(name) },
      user,
      signal,
    );
    if (found === undefined) return undefined;
    const holder = holderIdentity(found.user, found.machine);
    return { holder, since: found.since, live: found.state === 'live' };
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
    unknown.push('Leases may not be read, so another session on this workload is not seen.');
    return undefined;
  }
}

function routedServices(services: readonly V1Service[], pod: V1Pod): readonly RoutedService[] {
  const labels = pod.metadata?.labels ?? {};
  return services.flatMap((service) => {
    const selector = Object.entries(service.spec?.selector ?? {});
    if (selector.length === 0 || !selector.every(([key, value]) => labels[key] === value)) return [];
    const ports = (service.spec?.ports ?? []).map((port) => `${port.port}/${port.protocol ?? 'TCP'}`);
    return [{ name: service.metadata?.name ?? '', ports }];
  });
}

/** Whether the dev pod has to wait until the target's pods are gone; the same then holds at Stop the other way round. */
function exclusiveness(target: V1Deployment, quota: QuotaVerdict): SessionPlan['exclusive'] {
  const spec = target.spec?.template.spec;
  const reasons: string[] = [];
  if (target.spec?.strategy?.type === 'Recreate') reasons.push('the workload has strategy Recreate');
  const claims = (spec?.volumes ?? []).filter((volume) => volume.persistentVolumeClaim !== undefined);
  if (claims.length > 0) reasons.push('it uses a persistent volume');
  const hostPort = (spec?.containers ?? []).some((item) =>
    (item.ports ?? []).some((port) => (port.hostPort ?? 0) > 0),
  );
  if (hostPort || spec?.hostNetwork === true) reasons.push('it uses ports of the node');
  if (quota.kind === 'fits' && quota.tight) reasons.push('the quota has no room for both');
  return { value: reasons.length > 0, reasons };
}

function warningsOf(
  owners: SessionPlan['owners'],
  replicas: number,
  droppedProbes: SessionPlan['droppedProbes'],
  isHeld: boolean,
): readonly string[] {
  const warnings = owners.flatMap((owner) => ownerWarning(owner) ?? []);
  // A session that holds it has scaled it down itself, and knows the number to go back to.
  if (replicas === 0 && !isHeld) warnings.push('The workload has 0 replicas now and will have 0 after Stop.');
  if (replicas > 1) warnings.push(`One dev pod takes the place of ${replicas} replicas.`);
  if (droppedProbes.length > 0)
    warnings.push(`The dev container runs without ${droppedProbes.join(' and ')}.`);
  return warnings;
}
