import { describe, expect, it } from 'vitest';
import { isPodOf } from './pod-owner.ts';

function podOf(kind: string, name: string, hash?: string) {
  return {
    metadata: {
      ...(hash === undefined ? {} : { labels: { 'pod-template-hash': hash } }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: 'u', controller: true }],
    },
  };
}

describe('the owner of a pod', () => {
  it.each([
    [podOf('ReplicaSet', 'web-5d9c', '5d9c'), 'Deployment', 'web', true],
    [podOf('ReplicaSet', 'web-dev-5d9c', '5d9c'), 'Deployment', 'web', false],
    [podOf('ReplicaSet', 'web-5d9c', '5d9c'), 'Deployment', 'web-5d9c', false],
    [podOf('ReplicaSet', 'web-5d9c'), 'Deployment', 'web', false],
    [podOf('ReplicaSet', 'web'), 'ReplicaSet', 'web', true],
    [podOf('StatefulSet', 'db'), 'StatefulSet', 'db', true],
    [podOf('DaemonSet', 'db'), 'StatefulSet', 'db', false],
    [{ metadata: {} }, 'Deployment', 'web', false],
  ] as const)('case %#: %j of %s %s: %s', (pod, kind, name, expected) => {
    expect(isPodOf(structuredClone(pod) as never, { kind, name })).toBe(expected);
  });
});
