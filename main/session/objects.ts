import type { V1Deployment, V1LabelSelector } from '@kubernetes/client-node';
import { isSlipwayError } from '../base/errors.ts';
import type { CallOptions, Kube, ResourceType } from '../kube/kube.ts';
import type { KubernetesObject } from '@kubernetes/client-node';
import { resourceTypes } from '../kube/resource-types.ts';
import { keys, managedByValue } from './names.ts';

/** The object, or undefined when there is none of that name. */
export async function getIfThere<T extends KubernetesObject>(
  kube: Kube,
  type: ResourceType,
  key: { namespace?: string; name: string },
  options?: CallOptions,
): Promise<T | undefined> {
  try {
    return await kube.get<T>(type, key, options);
  } catch (error) {
    if (isSlipwayError(error, 'cluster.not-found')) return undefined;
    throw error;
  }
}

export function getDeployment(
  kube: Kube,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<V1Deployment | undefined> {
  return getIfThere<V1Deployment>(kube, resourceTypes.deployment, { namespace, name }, { signal });
}

/** The session that created an object, by its labels; undefined when it is not one of ours. */
export function sessionOf(object: KubernetesObject | undefined): string | undefined {
  const labels = object?.metadata?.labels;
  return labels?.[keys.managedBy] === managedByValue ? labels[keys.session] : undefined;
}

/** A label selector in the text form that list requests take. */
export function selectorText(selector: V1LabelSelector | undefined): string {
  const equalities = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equalities, ...expressions].join(',');
}
