import type { V1Deployment } from '@kubernetes/client-node';
import { shortHash } from './names.ts';

/** Of everything in the spec but `replicas`, whatever the order of its keys: tells whether somebody changed it. */
export function specHash(target: V1Deployment): string {
  return shortHash(stableText({ ...target.spec, replicas: undefined }), 16);
}

function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${stableText(member)}`);
  return `{${members.join(',')}}`;
}

export function containerImages(target: V1Deployment): Record<string, string> {
  const containers = target.spec?.template.spec?.containers ?? [];
  return Object.fromEntries(containers.map((container) => [container.name, container.image ?? '']));
}
