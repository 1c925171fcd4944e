import type { V1Pod } from '@kubernetes/client-node';
import { SlipwayError } from '../base/errors.ts';

/** Where a pod says which of its containers people mean. */
const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

/**
 * Which container of a pod is meant: the one asked for, else the one that the pod's annotation names, else the first. Init
 * containers and ephemeral ones are taken only by name. Rejects an unknown name with `workload.container-unknown`.
 */
export function chooseContainer(pod: V1Pod, wanted?: string): string {
  const regular = (pod.spec?.containers ?? []).map((container) => container.name);
  const others = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.ephemeralContainers ?? [])].map(
    (container) => container.name,
  );
  if (wanted !== undefined) {
    if (regular.includes(wanted) || others.includes(wanted)) return wanted;
    throw new SlipwayError({
      code: 'workload.container-unknown',
      message: `Pod ${pod.metadata?.name ?? ''} has no container ${wanted}.`,
      cause: `Its containers are ${[...regular, ...others].join(', ')}.`,
      next: 'Choose one of them with --container.',
    });
  }
  const annotated = pod.metadata?.annotations?.[defaultContainerAnnotation];
  if (annotated !== undefined && regular.includes(annotated)) return annotated;
  const [first] = regular;
  if (first === undefined) throw new Error('A pod without containers');
  return first;
}
