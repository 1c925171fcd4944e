import { describe, expect, it } from 'vitest';
import type { WorkloadKind } from '../../contract/workloads.ts';
import { isListed, rowOf, sameOrNew, type WorkloadObject } from './workload-rows.ts';

function row(kind: WorkloadKind, object: WorkloadObject) {
  return rowOf(kind, { metadata: { name: 'web', namespace: 'shop' }, ...object }, undefined);
}

describe('the row of a workload', () => {
  it.each<[WorkloadKind, WorkloadObject, number, number]>([
    ['Deployment', { spec: { replicas: 3 }, status: { readyReplicas: 2 } }, 2, 3],
    ['Deployment', { spec: { replicas: 0 }, status: {} }, 0, 0],
    ['Deployment', { spec: {}, status: {} }, 0, 1],
    ['StatefulSet', { spec: { replicas: 2 }, status: { readyReplicas: 2 } }, 2, 2],
    ['ReplicaSet', { spec: { replicas: 1 } }, 0, 1],
    ['DaemonSet', { status: { numberReady: 1, desiredNumberScheduled: 4 } }, 1, 4],
    ['DaemonSet', {}, 0, 0],
    ['Job', { spec: { completions: 5 }, status: { succeeded: 2 } }, 2, 5],
    ['Job', { spec: {}, status: {} }, 0, 1],
  ])('counts a %s %j as kubectl does', (kind, object, ready, desired) => {
    expect(row(kind, object)).toMatchObject({ ready, desired });
  });

  it('counts the containers of a pod, and an init container that keeps running as one of them', () => {
    const object = {
      spec: {
        containers: [{ name: 'a', image: 'x' }, { name: 'b' }],
        initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
      },
      status: {
        containerStatuses: [
          { name: 'a', ready: true, state: { running: {} } },
          { name: 'b', ready: true, state: { terminated: { exitCode: 0 } } },
        ],
        initContainerStatuses: [
          { name: 'setup', ready: true, started: false },
          { name: 'proxy', ready: true, started: true },
        ],
      },
    } as unknown as WorkloadObject;
    expect(row('Pod', object)).toMatchObject({ ready: 2, desired: 3, images: ['x', ''] });
  });

  it('can be replaced only when it is a Deployment', () => {
    expect(row('Deployment', {}).replaceable).toBe(true);
    expect(row('StatefulSet', {}).replaceable).toBe(false);
  });

  it('stays the same object while it says the same', () => {
    const before = row('Deployment', { spec: { replicas: 1 } });
    expect(sameOrNew(before, row('Deployment', { spec: { replicas: 1 } }))).toBe(before);
    expect(sameOrNew(before, row('Deployment', { spec: { replicas: 2 } }))).not.toBe(before);
  });

  it.each<[WorkloadKind, boolean | undefined, boolean]>([
    ['Pod', undefined, true],
    ['Pod', true, false],
    ['Pod', false, true],
    ['ReplicaSet', true, false],
    ['Job', true, false],
    ['Deployment', true, true],
  ])('of a %s with a controller %s is listed: %s', (kind, controller, listed) => {
    const ownerReferences =
      controller === undefined ? [] : [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: '1', controller }];
    expect(isListed(kind, { metadata: { ownerReferences } })).toBe(listed);
  });
});
