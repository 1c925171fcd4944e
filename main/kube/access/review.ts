import { z } from 'zod';
import { isSlipwayError } from '../../base/errors.ts';
import { parseAnswer } from '../answer.ts';
import type { AccessAnswer, Kube } from '../kube.ts';
import type { KubeTransport } from '../transport.ts';

const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const reviewAnswer = z.object({
  status: z.object({
    allowed: z.boolean(),
    denied: z.boolean().optional(),
    reason: z.string().optional(),
    evaluationError: z.string().optional(),
  }),
});

/**
 * Asks the server whether the user may do something. A question that cannot be asked, or that an authorizer failed
 * to answer, is `unknown` and never a denial; cancellation rejects.
 */
export function createReview(transport: Pick<KubeTransport, 'json' | 'server'>): Kube['review'] {
  return async (attributes, options = {}) => {
    const { verb, group, resource, subresource, name, namespace } = attributes;
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      // The subresource is a field of its own: "pods/exec" as a resource would ask about something else.
      spec: { resourceAttributes: { verb, group, resource, subresource, name, namespace } },
    };
    try {
      const answer = await transport.json({
        method: 'POST',
        path,
        body,
        subject: 'access review',
        signal: options.signal,
        timeoutMs: options.timeoutMs,
      });
      return interpretReview(parseAnswer(reviewAnswer, answer, transport.server, 'access review').status);
    } catch (error) {
      if (isSlipwayError(error))
        return { kind: 'unknown', reason: `${error.message} ${error.causeText}`.trim() };
      throw error;
    }
  };
}

/** The meaning of the status of a SelfSubjectAccessReview. */
export function interpretReview(status: z.infer<typeof reviewAnswer>['status']): AccessAnswer {
  if (status.allowed) return { kind: 'allowed' };
  const evaluationError = status.evaluationError ?? '';
  if (evaluationError !== '' && status.denied !== true) return { kind: 'unknown', reason: evaluationError };
  const reason = status.reason ?? '';
  return { kind: 'denied', reason: reason === '' ? 'No rule of the cluster allows it.' : reason };
}
