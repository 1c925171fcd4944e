import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { parseQuantity, type Quantity } from './quantity.ts';

export type Usage = ReadonlyMap<string, Quantity>;

/** True while the pod counts against quotas: ended ones do not. */
export function isCharged(pod: V1Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

/**
 * What one pod charges to a quota, under the quota's own names. Containers add up; init containers run before
 * them one at a time and count by their maximum, together with the sidecars (init containers that keep
 * running) started before.
 */
export function podUsage(spec: V1PodSpec | undefined): Usage {
  const usage = new Map<string, Quantity>([
    ['pods', one],
    ['count/pods', one],
  ]);
  for (const kind of ['requests', 'limits'] as const) {
    for (const [resource, quantity] of effective(spec, kind)) {
      usage.set(`${kind}.${resource}`, quantity);
      if (kind === 'requests') usage.set(resource, quantity);
    }
  }
  return usage;
}

const one = 1_000_000_000n;

function effective(spec: V1PodSpec | undefined, kind: 'requests' | 'limits'): Map<string, Quantity> {
  const running = new Map<string, Quantity>();
  for (const container of spec?.containers ?? []) addAll(running, amounts(container, kind));
  const sidecars = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const container of spec?.initContainers ?? []) {
    const own = amounts(container, kind);
    if (container.restartPolicy === 'Always') {
      addAll(sidecars, own);
      addAll(running, own);
      raiseAll(starting, sidecars);
    } else {
      const together = new Map(sidecars);
      addAll(together, own);
      raiseAll(starting, together);
    }
  }
  raiseAll(running, starting);
  const overhead = Object.entries(spec?.overhead ?? {}).flatMap(([resource, text]) => parsed(resource, text));
  if (kind === 'requests') addAll(running, new Map(overhead));
  else addAll(running, new Map(overhead.filter(([resource]) => running.has(resource))));
  return running;
}

/** A limit without a request is the request too, as the server's defaulting has it. */
function amounts(container: V1Container, kind: 'requests' | 'limits'): Map<string, Quantity> {
  const { requests, limits } = container.resources ?? {};
  const source = kind === 'requests' ? { ...limits, ...requests } : { ...limits };
  return new Map(Object.entries(source).flatMap(([resource, text]) => parsed(resource, text)));
}

function parsed(resource: string, text: string): readonly [string, Quantity][] {
  const quantity = parseQuantity(text);
  return quantity === undefined ? [] : [[resource, quantity]];
}

function addAll(into: Map<string, Quantity>, amountsToAdd: ReadonlyMap<string, Quantity>): void {
  for (const [resource, quantity] of amountsToAdd) into.set(resource, (into.get(resource) ?? 0n) + quantity);
}

function raiseAll(into: Map<string, Quantity>, least: ReadonlyMap<string, Quantity>): void {
  for (const [resource, quantity] of least) {
    if ((into.get(resource) ?? 0n) < quantity) into.set(resource, quantity);
  }
}
