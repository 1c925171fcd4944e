import { describe, expect, it } from 'vitest';
import type { CoreV1Event, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { podState } from './current-pod.ts';
import { judgePod, type PodVerdict } from './judge-pod.ts';
import { ProblemClock } from './wait-for-pod.ts';

const now = Date.parse('2026-01-05T10:00:00Z');
const at = (secondsAgo: number): Date => new Date(now - secondsAgo * 1000).toISOString() as unknown as Date;

function status(state: V1ContainerStatus['state'], more: Partial<V1ContainerStatus> = {}): V1ContainerStatus {
  return {
    name: 'web',
    image: 'nope.invalid/x:1',
    imageID: '',
    ready: false,
    restartCount: 0,
    ...(state === undefined ? {} : { state }),
    ...more,
  };
}

function pod(containers: readonly V1ContainerStatus[], more: Partial<V1Pod['status'] & object> = {}): V1Pod {
  return {
    metadata: { name: 'web-dev-1', uid: 'u' },
    status: { phase: 'Pending', containerStatuses: [...containers], ...more },
  };
}

function event(reason: string, message: string, kind = 'Pod'): CoreV1Event {
  return { metadata: {}, involvedObject: { kind }, reason, message, lastTimestamp: at(1) };
}

function judge(
  given: V1Pod | undefined,
  podEvents: CoreV1Event[] = [],
  ownerEvents: CoreV1Event[] = [],
): PodVerdict {
  return judgePod({ pod: given, container: 'web', podEvents, ownerEvents, now });
}

describe('a dev pod', () => {
  it.each<[string, V1Pod | undefined, CoreV1Event[], CoreV1Event[], Record<string, unknown>]>([
    ['that is not there yet', undefined, [], [], { kind: 'waiting', reason: 'Pending' }],
    [
      'that the policy refuses',
      undefined,
      [],
      [
        event(
          'FailedCreate',
          'Error creating: pods "web-dev-5f-" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
          'ReplicaSet',
        ),
      ],
      {
        kind: 'problem',
        topic: 'create',
        cause: expect.stringContaining('violates PodSecurity') as string,
        graceMs: 5_000,
      },
    ],
    [
      'that the quota has no room for yet',
      undefined,
      [],
      [
        event(
          'FailedCreate',
          'Error creating: pods "web-dev-5f-abc" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
          'ReplicaSet',
        ),
      ],
      { kind: 'problem', topic: 'create', graceMs: 45_000 },
    ],
    [
      'that fits on no node',
      pod([], {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: 1 Insufficient memory.',
          },
        ],
      }),
      [],
      [],
      {
        kind: 'problem',
        topic: 'schedule',
        reason: 'Unschedulable',
        cause: '0/1 nodes are available: 1 Insufficient memory.',
        graceMs: Infinity,
      },
    ],
    [
      'whose volume is not bound',
      pod([], {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
          },
        ],
      }),
      [],
      [],
      {
        kind: 'problem',
        topic: 'schedule',
        next: expect.stringContaining('PersistentVolumeClaims') as string,
      },
    ],
    [
      'whose image cannot be pulled',
      pod([
        status({
          waiting: {
            reason: 'ErrImagePull',
            message:
              'failed to pull and unpack image "nope.invalid/x:1": dial tcp: lookup nope.invalid: no such host',
          },
        }),
      ]),
      [],
      [],
      {
        kind: 'problem',
        topic: 'image',
        reason: 'ErrImagePull',
        cause: expect.stringContaining('nope.invalid/x:1') as string,
        graceMs: 12_000,
      },
    ],
    [
      'whose image is backed off from',
      pod([status({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } })]),
      [],
      [],
      { kind: 'problem', topic: 'image' },
    ],
    [
      'whose image has no valid name',
      pod([status({ waiting: { reason: 'InvalidImageName' } })]),
      [],
      [],
      { kind: 'problem', topic: 'image', graceMs: 0 },
    ],
    [
      'whose secret is missing',
      pod([status({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } })]),
      [],
      [],
      { kind: 'problem', topic: 'config', cause: 'secret "db" not found' },
    ],
    [
      'whose program does not exist',
      pod([
        status(
          { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container' } },
          {
            restartCount: 1,
            lastState: {
              terminated: {
                exitCode: 128,
                reason: 'StartError',
                message: 'exec: "nope": executable file not found in $PATH',
              },
            },
          },
        ),
      ]),
      [],
      [],
      {
        kind: 'problem',
        topic: 'start',
        cause: 'exec: "nope": executable file not found in $PATH',
        graceMs: 3_000,
      },
    ],
    [
      'that crashes again and again',
      pod([
        status(
          { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container' } },
          { restartCount: 3, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
        ),
      ]),
      [],
      [],
      {
        kind: 'problem',
        topic: 'crash',
        cause: 'Container web ended 3 times; the last time with code 137 (OOMKilled).',
      },
    ],
    [
      'that ended just now',
      pod([status({ terminated: { exitCode: 1, reason: 'Error', message: 'no config\n' } })]),
      [],
      [],
      {
        kind: 'problem',
        topic: 'crash',
        cause: 'Container web ended 1 times; the last time with code 1: no config',
      },
    ],
    [
      'whose volume cannot be mounted',
      pod([status({ waiting: { reason: 'ContainerCreating' } })]),
      [event('FailedMount', 'MountVolume.SetUp failed for volume "c": configmap "c" not found')],
      [],
      {
        kind: 'problem',
        topic: 'mount',
        cause: expect.stringContaining('configmap "c" not found') as string,
        graceMs: Infinity,
      },
    ],
    [
      'that pulls its image',
      pod([status({ waiting: { reason: 'ContainerCreating' } })]),
      [event('Pulling', 'Pulling image "x"')],
      [],
      { kind: 'waiting', reason: 'Pulling', message: 'Pulling image "x"' },
    ],
    [
      'whose init container still runs',
      pod([status({ waiting: { reason: 'PodInitializing' } })], {
        initContainerStatuses: [
          status({ running: { startedAt: at(5) } }, { name: 'wait-for-db', started: false }),
        ],
      }),
      [],
      [],
      { kind: 'waiting', reason: 'Initializing', message: 'Init container wait-for-db has not ended yet.' },
    ],
    [
      'with a sidecar that runs',
      pod([status({ running: { startedAt: at(1) } })], {
        initContainerStatuses: [status({ running: { startedAt: at(5) } }, { name: 'proxy', started: true })],
      }),
      [],
      [],
      { kind: 'ready' },
    ],
    ['that runs, ready or not', pod([status({ running: { startedAt: at(0) } })]), [], [], { kind: 'ready' }],
    [
      'that was restarted a moment ago',
      pod([status({ running: { startedAt: at(2) } }, { restartCount: 2 })]),
      [],
      [],
      { kind: 'waiting', reason: 'Restarted' },
    ],
    [
      'that was restarted and has settled',
      pod([status({ running: { startedAt: at(20) } }, { restartCount: 2 })]),
      [],
      [],
      { kind: 'ready' },
    ],
  ])('%s is judged so', (_name, given, podEvents, ownerEvents, expected) => {
    expect(judge(given, podEvents, ownerEvents)).toMatchObject(expected);
  });

  it('has a problem only while its topic stays', () => {
    const clock = new ProblemClock();
    const image = judge(pod([status({ waiting: { reason: 'ErrImagePull' } })]));
    const backOff = judge(pod([status({ waiting: { reason: 'ImagePullBackOff' } })]));
    const waiting = judge(undefined);
    expect([
      clock.persisted(image, 0),
      clock.persisted(backOff, 9_000),
      clock.persisted(waiting, 10_000),
      clock.persisted(image, 11_000),
    ]).toEqual([0, 9_000, 0, 0]);
  });
});

describe('the current pod', () => {
  const running = status({ running: { startedAt: at(1) } }, { containerID: 'containerd://1' });

  it('is the newest that is not ending', () => {
    const old: V1Pod = {
      ...pod([running]),
      metadata: { name: 'old', uid: '1', creationTimestamp: at(90), deletionTimestamp: at(1) },
    };
    const fresh: V1Pod = {
      ...pod([running]),
      metadata: { name: 'fresh', uid: '2', creationTimestamp: at(9) },
    };
    expect(podState([fresh, old], 'web')).toMatchObject({
      kind: 'running',
      pod: { name: 'fresh', uid: '2' },
    });
    expect(podState([old], 'web')).toEqual({ kind: 'none' });
  });

  it('is starting while its container does not run', () => {
    expect(podState([pod([status({ waiting: { reason: 'ContainerCreating' } })])], 'web')).toMatchObject({
      kind: 'starting',
    });
    expect(podState([pod([{ ...running, name: 'other' }])], 'web')).toMatchObject({ kind: 'starting' });
  });
});
