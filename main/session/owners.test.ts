import { describe, expect, it } from 'vitest';
import type { V1Deployment, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { SlipwayError } from '../base/errors.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { judgeDryRun } from './admission.ts';
import { judgeLease, type LeaseObject } from './lease.ts';
import { findOwners, ownerWarning } from './owners.ts';
import { parseRecord } from './record.ts';

function target(labels: Record<string, string>, annotations: Record<string, string> = {}): V1Deployment {
  return { metadata: { name: 'web', labels, annotations } };
}

function autoscaler(
  name: string,
  aim: string,
  labels: Record<string, string> = {},
): V2HorizontalPodAutoscaler {
  return {
    metadata: { name, labels },
    spec: { scaleTargetRef: { kind: 'Deployment', name: aim }, minReplicas: 2, maxReplicas: 4 },
  };
}

describe('owners of a workload', () => {
  it.each<[string, V1Deployment, V2HorizontalPodAutoscaler[], unknown[]]>([
    ['nobody', target({ 'app.kubernetes.io/instance': 'web' }), [], []],
    [
      'a Helm release',
      target(
        { 'app.kubernetes.io/managed-by': 'Helm' },
        { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 't' },
      ),
      [],
      [{ kind: 'helm', release: 'shop', namespace: 't' }],
    ],
    [
      'Argo CD by annotation',
      target({}, { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:t/web' }),
      [],
      [{ kind: 'argocd', application: 'shop' }],
    ],
    [
      'Argo CD by label',
      target({ 'argocd.argoproj.io/instance': 'shop' }),
      [],
      [{ kind: 'argocd', application: 'shop' }],
    ],
    [
      'Flux',
      target({
        'kustomize.toolkit.fluxcd.io/name': 'apps',
        'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
        'helm.toolkit.fluxcd.io/name': 'shop',
        'helm.toolkit.fluxcd.io/namespace': 't',
      }),
      [],
      [
        { kind: 'flux-kustomization', name: 'apps', namespace: 'flux-system' },
        { kind: 'flux-helmrelease', name: 'shop', namespace: 't' },
      ],
    ],
    [
      'an autoscaler of its own',
      target({}),
      [autoscaler('a', 'web'), autoscaler('b', 'api')],
      [{ kind: 'autoscaler', name: 'a', minimum: 2, maximum: 4 }],
    ],
    [
      'KEDA',
      target({}),
      [autoscaler('keda-hpa-web', 'web', { 'scaledobject.keda.sh/name': 'web' })],
      [{ kind: 'keda', scaledObject: 'web', autoscaler: 'keda-hpa-web' }],
    ],
    [
      'another tool',
      target({ 'app.kubernetes.io/managed-by': 'pulumi' }),
      [],
      [{ kind: 'managed-by', name: 'pulumi' }],
    ],
  ])('are %s', (_name, given, autoscalers, expected) => {
    expect(findOwners(given, autoscalers)).toEqual(expected);
  });

  it('that scale come with their own way to pause them', () => {
    expect(ownerWarning({ kind: 'argocd', application: 'shop' })).toContain('automated sync');
    expect(ownerWarning({ kind: 'keda', scaledObject: 'web', autoscaler: 'a' })).toContain(
      'autoscaling.keda.sh/paused',
    );
    expect(ownerWarning({ kind: 'flux-kustomization', name: 'apps', namespace: 'f' })).toContain(
      'flux suspend kustomization apps',
    );
  });
});

describe('a dry run of the pod', () => {
  const failed = (code: ErrorCode, cause: string) =>
    judgeDryRun(new SlipwayError({ code, message: 'No.', cause, next: '' }));

  it.each<[ErrorCode, string, string]>([
    [
      'cluster.forbidden',
      'pods "web-dev-x" is forbidden: violates PodSecurity "restricted:latest": privileged',
      'refused',
    ],
    [
      'cluster.forbidden',
      'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      'admitted',
    ],
    [
      'cluster.forbidden',
      'pods "x" is forbidden: failed quota: q: must specify limits.memory for: web',
      'refused',
    ],
    [
      'cluster.forbidden',
      'pods is forbidden: User "anna" cannot create resource "pods" in API group "" in the namespace "t"',
      'unknown',
    ],
    [
      'cluster.forbidden',
      'pods "x" is forbidden: error looking up service account t/shop: serviceaccount "shop" not found',
      'refused',
    ],
    ['cluster.invalid', 'Pod "x" is invalid: spec.containers[0].image: Required value', 'refused'],
    [
      'cluster.failed',
      'admission webhook "policy.example.com" denied the request: no latest tags',
      'refused',
    ],
    [
      'cluster.failed',
      'Internal error occurred: failed calling webhook "policy.example.com": timeout',
      'unknown',
    ],
    ['cluster.timeout', 'The server gave no answer.', 'unknown'],
  ])('that ended with %s (%s) is %s', (code, cause, kind) => {
    expect(failed(code, cause).kind).toBe(kind);
  });
});

describe('a Lease', () => {
  const server = Date.parse('2026-01-05T10:00:00Z');
  const lease = (secondsAgo: number | undefined, other = 0): LeaseObject => ({
    metadata: {
      managedFields: [
        ...(secondsAgo === undefined
          ? []
          : [
              {
                manager: 'slipway',
                time: new Date(server - secondsAgo * 1000),
                fieldsV1: { 'f:spec': { 'f:renewTime': {} } },
              },
            ]),
        {
          manager: 'kubectl-label',
          time: new Date(server - other),
          fieldsV1: { 'f:metadata': { 'f:labels': {} } },
        },
      ],
    },
    // By the clock of a laptop that is a year behind.
    spec: { renewTime: '2025-01-05T10:00:00.000000Z' },
  });

  it.each([
    [0, server, 'live'],
    [60, server, 'live'],
    [61, server, 'dead'],
    [-5, server, 'live'],
    [undefined, server, 'unsure'],
    [10, undefined, 'unsure'],
  ])('renewed %s s ago by the server (now %s) is %s', (secondsAgo, now, kind) => {
    expect(judgeLease(lease(secondsAgo), now).kind).toBe(kind);
  });
});

describe('a record', () => {
  it.each([undefined, '', '{', '[]', '{"version":1}', JSON.stringify({ version: 2 }), 'x'.repeat(100_000)])(
    'that is damaged is none: %.20s',
    (content) => {
      expect(parseRecord(content)).toBeUndefined();
    },
  );
});
