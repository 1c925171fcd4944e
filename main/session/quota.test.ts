import { describe, expect, it } from 'vitest';
import type { V1Pod, V1PodSpec, V1ResourceQuota } from '@kubernetes/client-node';
import { podUsage } from './pod-usage.ts';
import { formatQuantity } from './quantity.ts';
import { covers, judgeQuota, sessionObjects, type QuotaVerdict } from './quota.ts';

function pod(
  requests: Record<string, string>,
  limits: Record<string, string> = {},
  spec: Partial<V1PodSpec> = {},
): V1Pod {
  return { spec: { containers: [{ name: 'web', resources: { requests, limits } }], ...spec } };
}

function quota(
  hard: Record<string, string>,
  used: Record<string, string>,
  spec: V1ResourceQuota['spec'] = {},
): V1ResourceQuota {
  return { metadata: { name: 'q' }, spec: { ...spec, hard }, status: { hard, used } };
}

const small = pod({ cpu: '100m', memory: '64Mi' }, { cpu: '200m', memory: '128Mi' });

describe('a quota', () => {
  it.each<[string, V1ResourceQuota, readonly V1Pod[], V1Pod, QuotaVerdict]>([
    ['has room', quota({ pods: '10' }, { pods: '3' }), [small], small, { kind: 'fits', tight: false }],
    [
      'has room only after the others are gone',
      quota({ pods: '3' }, { pods: '3' }),
      [small, small, small],
      small,
      { kind: 'fits', tight: true },
    ],
    [
      'has none',
      quota({ 'requests.memory': '128Mi' }, { 'requests.memory': '128Mi' }),
      [small],
      pod({ memory: '65Mi' }),
      {
        kind: 'exceeded',
        problems: ['q: requests.memory would be 129Mi of 128Mi (128Mi used, 64Mi freed, 65Mi new)'],
      },
    ],
    [
      'counts cpu exactly',
      quota({ 'requests.cpu': '1' }, { 'requests.cpu': '900m' }),
      [],
      pod({ cpu: '0.1' }),
      { kind: 'fits', tight: false },
    ],
    [
      'counts the short names as requests',
      quota({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }),
      [small],
      small,
      { kind: 'fits', tight: true },
    ],
    [
      'counts the other objects of a session',
      quota({ 'count/deployments.apps': '1' }, { 'count/deployments.apps': '1' }),
      [small],
      small,
      { kind: 'exceeded', problems: ['q: count/deployments.apps would be 2 of 1 (1 used, 0 freed, 1 new)'] },
    ],
    [
      'does not count what is not of its scope',
      quota({ pods: '0' }, {}, { scopes: ['BestEffort'] }),
      [],
      small,
      { kind: 'fits', tight: false },
    ],
    [
      'frees nothing by ended pods',
      quota({ pods: '1' }, { pods: '1' }),
      [{ ...small, status: { phase: 'Succeeded' } }],
      small,
      expect.objectContaining({ kind: 'exceeded' }) as QuotaVerdict,
    ],
    [
      'passes over what cannot be read',
      quota({ pods: 'many' }, {}),
      [],
      small,
      { kind: 'fits', tight: false },
    ],
  ])('%s', (_name, given, freed, added, expected) => {
    expect(judgeQuota({ quotas: [given], freed, added, addedObjects: sessionObjects })).toEqual(expected);
  });

  it.each<[string, V1ResourceQuota['spec'], V1Pod, boolean]>([
    ['Terminating', { scopes: ['Terminating'] }, pod({}, {}, { activeDeadlineSeconds: 5 }), true],
    ['NotTerminating', { scopes: ['NotTerminating'] }, pod({}), true],
    ['BestEffort of a pod that asks for nothing', { scopes: ['BestEffort'] }, pod({}), true],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, small, true],
    [
      'a priority class among others',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
        },
      },
      pod({}, {}, { priorityClassName: 'high' }),
      true,
    ],
    [
      'a priority class that the pod does not have',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
        },
      },
      pod({}),
      false,
    ],
  ])('covers by scope %s', (_name, spec, given, expected) => {
    expect(covers({ ...(spec === undefined ? {} : { spec }) }, given)).toBe(expected);
  });
});

describe('what a pod charges', () => {
  const amounts = (spec: V1PodSpec): Record<string, string> =>
    Object.fromEntries([...podUsage(spec)].map(([key, value]) => [key, formatQuantity(value)]));
  const container = (name: string, cpu: string, more = {}) => ({
    name,
    resources: { requests: { cpu } },
    ...more,
  });

  it.each<[string, V1PodSpec, string]>([
    ['adds containers up', { containers: [container('a', '100m'), container('b', '200m')] }, '300m'],
    [
      'takes the largest init container',
      {
        containers: [container('a', '100m')],
        initContainers: [container('i', '500m'), container('j', '50m')],
      },
      '500m',
    ],
    [
      'adds sidecars to the containers',
      {
        containers: [container('a', '100m')],
        initContainers: [container('s', '50m', { restartPolicy: 'Always' })],
      },
      '150m',
    ],
    [
      'adds sidecars to the init containers after them',
      {
        containers: [container('a', '100m')],
        initContainers: [container('s', '50m', { restartPolicy: 'Always' }), container('i', '500m')],
      },
      '550m',
    ],
    [
      'adds the overhead of its runtime',
      { containers: [container('a', '100m')], overhead: { cpu: '10m' } },
      '110m',
    ],
    [
      'takes a limit for a request that is missing',
      { containers: [{ name: 'a', resources: { limits: { cpu: '250m' } } }] },
      '250m',
    ],
  ])('%s', (_name, spec, cpu) => {
    expect(amounts(spec)['requests.cpu']).toBe(cpu);
  });
});
