import type { V1Deployment } from '@kubernetes/client-node';
import { isSlipwayError } from './base/errors.ts';
import {
  createTerminalsHandlers,
  type LoggedWorkload,
  type TerminalsDependencies,
  type TerminalsHandlers,
} from './channels/terminals-handlers.ts';
import { openSelectorPodSource, type PodSelector } from './dev/selector-pod-source.ts';
import type { Kube, ResourceType } from './kube/kube.ts';
import { resourceTypes } from './kube/resource-types.ts';
import { selectorText } from './session/objects.ts';

/** Shells and logs of the windows on real pods. */
export function composeTerminals(
  dependencies: Omit<TerminalsDependencies, 'openPods'>,
): TerminalsHandlers & AsyncDisposable {
  const { clock } = dependencies;
  return createTerminalsHandlers({
    ...dependencies,
    openPods: async (kube, workload, signal) =>
      openSelectorPodSource({ kube, clock, selector: await selectorOf(kube, workload, signal), signal }),
  });
}

const types: Readonly<Record<Exclude<LoggedWorkload['kind'], 'Pod'>, ResourceType>> = {
  Deployment: resourceTypes.deployment,
  StatefulSet: resourceTypes.statefulSet,
  DaemonSet: resourceTypes.daemonSet,
  ReplicaSet: resourceTypes.replicaSet,
  Job: resourceTypes.job,
};

/** The pods of a workload by its selector, or by their owner for who may not read the workload itself. */
async function selectorOf(kube: Kube, workload: LoggedWorkload, signal: AbortSignal): Promise<PodSelector> {
  const { namespace, kind, name, container } = workload;
  // Every log is marked with its container, so that none has to be chosen beforehand.
  const chosen = { namespace, container, anyContainer: true };
  if (kind === 'Pod') return { ...chosen, pod: name };
  try {
    const object = await kube.get<V1Deployment>(types[kind], { namespace, name }, { signal });
    return { ...chosen, labelSelector: selectorText(object.spec?.selector) };
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
    return { ...chosen, owner: { kind, name } };
  }
}
