import type { KubernetesObject } from '@kubernetes/client-node';
import type { CallOptions, Kube, ResourceType } from '../kube/kube.ts';
import { isSlipwayError } from '../base/errors.ts';
import { timeOf } from './time-of.ts';

const selfSubjectReview: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};

/**
 * The API server's clock in milliseconds, in whole seconds: a self-review is stamped when it is made, stores
 * nothing, and everybody may ask for one. Undefined when the server does not say.
 */
export async function serverTime(kube: Kube, options: CallOptions = {}): Promise<number | undefined> {
  try {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = await kube.create<KubernetesObject>(selfSubjectReview, undefined, body, options);
    return timeOf(review.metadata?.creationTimestamp);
  } catch (error) {
    if (isSlipwayError(error)) return undefined;
    throw error;
  }
}
