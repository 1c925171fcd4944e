import type { Command } from 'commander';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { isSlipwayError, SlipwayError } from '../../base/errors.ts';
import type { PodSource } from '../../dev/pod-source.ts';
import { openSelectorPodSource, type PodSelector } from '../../dev/selector-pod-source.ts';
import { resourceTypes } from '../../kube/resource-types.ts';
import type { ResourceType } from '../../kube/kube.ts';
import { ask, canAsk } from './ask.ts';
import type { Invocation } from './command.ts';
import { parseWorkloadReference } from './workload-reference.ts';

export interface PodFlags {
  readonly labelSelector?: string;
  readonly pod?: string;
  readonly container?: string;
}

export function addPodFlags(command: Command): Command {
  return command
    .option('-l, --label-selector <selector>', 'the pods to choose from, like app=web')
    .option('--pod <name>', 'one pod by its name')
    .option('-c, --container <name>', 'container, when the pod has several');
}

const typesByKind: Readonly<Record<string, ResourceType>> = {
  Deployment: resourceTypes.deployment,
  StatefulSet: resourceTypes.statefulSet,
  DaemonSet: resourceTypes.daemonSet,
  ReplicaSet: resourceTypes.replicaSet,
  Job: resourceTypes.job,
};

/**
 * The pods that a command speaks of: of a workload (its selector is read from the cluster, and where that is not
 * allowed its pods are known by their owner), of a selector, or one by name.
 */
export async function podSelector(
  invocation: Invocation,
  workload: string | undefined,
  flags: PodFlags,
): Promise<PodSelector> {
  const namespace = await invocation.namespace();
  const { pod, labelSelector, container } = flags;
  if (workload === undefined) {
    if (pod === undefined && labelSelector === undefined) throw nothingChosen();
    return { namespace, pod, labelSelector, container };
  }
  const { kind, name } = parseWorkloadReference(workload);
  if (kind === 'Pod') return { namespace, pod: name, container };
  const type = typesByKind[kind];
  if (type === undefined) throw nothingChosen();
  const kube = await invocation.kube();
  try {
    const object = await kube.get<V1Deployment>(type, { namespace, name }, { signal: invocation.stop });
    return { namespace, labelSelector: formatSelector(object.spec?.selector), container };
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
    return { namespace, owner: { kind, name }, container };
  }
}

/** Follows these pods until disposed or stopped. */
export async function openPods(
  invocation: Invocation,
  selector: PodSelector,
  firstWithinMs?: number,
): Promise<PodSource> {
  const kube = await invocation.kube();
  return openSelectorPodSource({
    kube,
    clock: invocation.services.clock,
    selector,
    firstWithinMs,
    signal: invocation.stop,
  });
}

/** Asks a person for one of the pods; the only one is taken at once. */
export async function pickPod(
  invocation: Invocation,
  namespace: string,
  labelSelector: string | undefined,
): Promise<string> {
  const kube = await invocation.kube();
  const list = await kube.list<V1Pod>(resourceTypes.pod, namespace, {
    labelSelector,
    signal: invocation.stop,
  });
  const names = list.items.flatMap((pod) =>
    pod.status?.phase === 'Running' && pod.metadata?.name !== undefined ? [pod.metadata.name] : [],
  );
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (only === undefined || invocation.json || !canAsk(invocation.environment)) throw nothingChosen();
  return ask(invocation.environment, 'Which pod?', names, invocation.stop);
}

function nothingChosen(): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: 'No pod was chosen.',
    cause: 'Neither a workload, nor --label-selector, nor --pod was given.',
    next: 'Name a workload like deploy/web.',
  });
}

/** A label selector object as the text that lists take. */
export function formatSelector(selector: NonNullable<V1Deployment['spec']>['selector'] | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `(${(values ?? []).join(',')})`;
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} ${list}`;
  });
  return [...labels, ...expressions].join(',');
}
