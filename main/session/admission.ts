import { isSlipwayError } from '../base/errors.ts';

/** What a server-side dry run of the dev **pod** said. A Deployment is admitted where its pods are refused. */
export type AdmissionVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Reads the answer to a dry run that failed. A quota that is full now is not a refusal: the target's pods make
 * room first, so quota is judged by counting. Quota is the last of the admission checks, so all others passed.
 */
export function judgeDryRun(error: unknown): AdmissionVerdict {
  if (!isSlipwayError(error)) throw error;
  const reason = error.causeText === '' ? error.message : error.causeText;
  switch (error.code) {
    case 'cluster.forbidden':
      if (/\bcannot create resource "pods"/.test(reason)) {
        return {
          kind: 'unknown',
          reason: 'You may not create pods yourself, so a dry run of the pod is not possible.',
        };
      }
      return /\bexceeded quota\b/.test(reason) ? { kind: 'admitted' } : { kind: 'refused', reason };
    case 'cluster.invalid':
      return { kind: 'refused', reason };
    case 'cluster.failed':
      // An admission webhook's own failure, or a refusal with a status of its own choice.
      return /\badmission webhook\b.*\bdenied the request\b/.test(reason)
        ? { kind: 'refused', reason }
        : { kind: 'unknown', reason };
    default:
      return { kind: 'unknown', reason };
  }
}
