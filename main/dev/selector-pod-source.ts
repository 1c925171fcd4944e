import type { V1Pod } from '@kubernetes/client-node';
import { SlipwayError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Kube } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { choosePod, type PodChoice } from './choose-pod.ts';
import { isPodOf, type PodOwner } from './pod-owner.ts';
import { PodSlot, type PodSource } from './pod-source.ts';

export interface PodSelector {
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  /** One pod by its name instead of labels. */
  readonly pod?: string | undefined;
  /** The pods of a workload whose selector is not known. */
  readonly owner?: PodOwner | undefined;
  readonly container?: string | undefined;
  /** Pods that run this image, with or without its tag; the container is the one that does. */
  readonly image?: string | undefined;
  /** Whichever container runs, where none is named and the pod has several. */
  readonly anyContainer?: boolean | undefined;
}

/** How long the first running container may take before "there is none" is said. */
const firstPodMs = 6_000;

/**
 * Watches the pods that a selector matches. Resolves when a container runs; rejects with
 * `workload.no-running-pod` or `workload.container-unknown` when there is none to begin with. Later a missing pod is waited for.
 */
export async function openSelectorPodSource(options: {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly selector: PodSelector;
  /** How long the first running container may take; a few seconds unless said otherwise. */
  readonly firstWithinMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<PodSource> {
  const { kube, selector } = options;
  const slot = new PodSlot();
  const pods = new Map<string, V1Pod>();
  let last: PodChoice = { kind: 'none', message: 'No pod matches.' };
  let rejectFirst: (error: unknown) => void = () => undefined;
  const failedFirst = new Promise<never>((_, reject) => {
    rejectFirst = reject;
  });
  failedFirst.catch(() => undefined);

  const listOptions = {
    labelSelector: selector.labelSelector,
    fieldSelector: selector.pod === undefined ? undefined : `metadata.name=${selector.pod}`,
  };
  // The first list is made here, so that its refusal ends the start at once instead of being retried.
  await kube.list<V1Pod>(resourceTypes.pod, selector.namespace, { ...listOptions, signal: options.signal });
  const watching = kube.watch<V1Pod>(resourceTypes.pod, selector.namespace, listOptions, (event) => {
    if (event.kind === 'stale') return;
    if (event.kind === 'reset') {
      pods.clear();
      for (const pod of event.items) pods.set(pod.metadata?.uid ?? '', pod);
    } else if (event.kind === 'deleted') pods.delete(event.object.metadata?.uid ?? '');
    else pods.set(event.object.metadata?.uid ?? '', event.object);
    const { owner, image } = selector;
    const owned = [...pods.values()].filter((pod) => owner === undefined || isPodOf(pod, owner));
    const candidates = image === undefined ? owned : owned.flatMap((pod) => withImage(pod, image));
    last = choosePod(candidates, {
      container: selector.container,
      anyContainer: selector.anyContainer,
      inUse: slot.latest,
    });
    slot.set(last.kind === 'running' ? last.ref : undefined);
    if (last.kind === 'container-unknown') rejectFirst(containerUnknown(last.message));
  });
  const source: PodSource = {
    current: (signal) => slot.current(signal),
    onChange: slot.onChange,
    async [Symbol.asyncDispose]() {
      await watching[Symbol.asyncDispose]();
      slot[Symbol.dispose]();
    },
  };
  const timer = options.clock.timer(options.firstWithinMs ?? firstPodMs, () =>
    rejectFirst(noRunningPod(selector, last)),
  );
  try {
    await Promise.race([slot.current(options.signal), failedFirst]);
    return source;
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  } finally {
    timer[Symbol.dispose]();
  }
}

/** The pod with only those containers that run an image; none when there are none. */
export function withImage(pod: V1Pod, image: string): readonly V1Pod[] {
  const runs = (name: string | undefined): boolean =>
    name?.startsWith(image) === true && /^(?:[:@][^/]*)?$/.test(name.slice(image.length));
  const containers = pod.spec?.containers.filter((container) => runs(container.image)) ?? [];
  return containers.length === 0 ? [] : [{ ...pod, spec: { ...pod.spec, containers } }];
}

function containerUnknown(message: string): SlipwayError {
  return new SlipwayError({
    code: 'workload.container-unknown',
    message,
    next: 'Name the container with --container.',
  });
}

function noRunningPod(selector: PodSelector, last: PodChoice): SlipwayError {
  const { owner } = selector;
  const ofOwner = owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
  const what = selector.pod ?? selector.labelSelector ?? selector.image ?? ofOwner ?? 'any label';
  return new SlipwayError({
    code: 'workload.no-running-pod',
    message: `No running pod in namespace ${selector.namespace} for ${what}.`,
    cause: last.kind === 'running' ? '' : last.message,
    next: `Check the selector, or see why its pods do not run: slipway list workloads -n ${selector.namespace}.`,
  });
}
