import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { choosePod } from './choose-pod.ts';

function pod(
  name: string,
  options: {
    age?: number;
    phase?: string;
    deleting?: boolean;
    running?: boolean;
    containers?: string[];
  } = {},
): V1Pod {
  const containers = options.containers ?? ['app'];
  return {
    metadata: {
      name,
      namespace: 'n',
      uid: `uid-${name}`,
      creationTimestamp: new Date(1_000_000 - (options.age ?? 0) * 1000),
      ...(options.deleting === true ? { deletionTimestamp: new Date() } : {}),
    },
    spec: { containers: containers.map((container) => ({ name: container })) },
    status: {
      phase: options.phase ?? 'Running',
      containerStatuses: containers.map((container) => ({
        name: container,
        containerID: `containerd://${name}-${container}`,
        image: 'i',
        imageID: 'i',
        ready: true,
        restartCount: 0,
        state: options.running === false ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: {} },
      })),
    },
  };
}

const chosen = (pods: V1Pod[], options: Parameters<typeof choosePod>[1] = {}): string => {
  const choice = choosePod(pods, options);
  return choice.kind === 'running'
    ? `${choice.ref.pod}/${choice.ref.container}`
    : `${choice.kind}: ${choice.message}`;
};

describe('the pod of a selector', () => {
  it('is the youngest that runs', () => {
    expect(
      chosen([pod('old', { age: 9 }), pod('young', { age: 1 }), pod('newest', { phase: 'Pending' })]),
    ).toBe('young/app');
  });

  it('stays the one in use as long as it runs', () => {
    const old = pod('old', { age: 9 });
    const inUse = choosePod([old], {});
    expect(inUse.kind).toBe('running');
    const ref = inUse.kind === 'running' ? inUse.ref : undefined;
    expect(chosen([old, pod('young')], { inUse: ref })).toBe('old/app');
    expect(chosen([pod('old', { deleting: true }), pod('young')], { inUse: ref })).toBe('young/app');
  });

  it('skips a pod whose container is waiting', () => {
    expect(chosen([pod('crashing', { running: false }), pod('fine', { age: 5 })])).toBe('fine/app');
  });

  it.each([
    [[], {}, 'none: No pod matches.'],
    [[pod('a', { phase: 'Pending' })], {}, 'none: Of 1 matching pods none is running.'],
    [[pod('a', { running: false })], {}, 'none: The container is not running.'],
    [[pod('a')], { container: 'x' }, 'container-unknown: Pod a has no container x; it has app.'],
    [[pod('a', { containers: ['x', 'y'] })], {}, 'container-unknown: Pod a has several containers: x, y.'],
    [[pod('a', { containers: ['x', 'y'] })], { container: 'y' }, 'a/y'],
    [[pod('a', { containers: ['x', 'y'] })], { anyContainer: true }, 'a/x'],
    [[pod('a', { containers: ['x', 'y'] })], { anyContainer: true, container: 'y' }, 'a/y'],
    [[pod('a', { running: false })], { anyContainer: true }, 'none: The container is not running.'],
  ] as const)('case %#: %s', (pods, options, expected) => {
    expect(chosen([...pods], options)).toBe(expected);
  });
});
