import type { z } from 'zod';
import { SlipwayError } from '../base/errors.ts';

/** Checks the form of an answer; what answers may be anything but a Kubernetes API. */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown, server: string, subject: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SlipwayError({
    code: 'cluster.failed',
    message: `The answer of ${server} for ${subject} is not of the form of Kubernetes.`,
    cause: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown form'}`,
    next: 'Check the server address in the kubeconfig and the proxy on the way.',
  });
}
