import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { podReason, podSummary } from './pod-reasons.ts';

function pod(status: object, metadata: object = {}): V1Pod {
  return { metadata, spec: { containers: [{ name: 'web' }] }, status: status };
}

describe('why a pod is not ready', () => {
  it.each([
    ['nothing', pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }), undefined],
    [
      'the scheduler found no node',
      pod({
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available',
          },
        ],
      }),
      'Unschedulable: 0/1 nodes are available.',
    ],
    [
      'the image cannot be pulled',
      pod({
        containerStatuses: [
          { name: 'web', state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling' } } },
        ],
      }),
      'web: ImagePullBackOff: Back-off pulling.',
    ],
    [
      'it ends again and again, with its last end',
      pod({
        containerStatuses: [
          {
            name: 'web',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          },
        ],
      }),
      'web: CrashLoopBackOff. Last end: OOMKilled (exit code 137).',
    ],
    [
      'it ended badly',
      pod({
        phase: 'Failed',
        containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 1, reason: 'Error' } } }],
      }),
      'web: Error (exit code 1).',
    ],
    [
      'it was evicted',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }),
      'Evicted: The node was low on memory.',
    ],
    [
      'its probe fails',
      pod({
        phase: 'Running',
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            message: 'containers with unready status: [web]',
          },
        ],
      }),
      'ContainersNotReady: containers with unready status: [web].',
    ],
    [
      'it is being deleted',
      pod({ phase: 'Running' }, { deletionTimestamp: '2026-01-01' }),
      'It is being deleted.',
    ],
    ['it is done', pod({ phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False' }] }), undefined],
  ])('is that %s', (_name, subject, reason) => {
    expect(podReason(subject)).toBe(reason);
  });

  it('is cut when somebody wrote a novel', () => {
    const long = pod({ phase: 'Failed', reason: 'X', message: 'y'.repeat(100_000) });
    expect(podReason(long)?.length).toBeLessThan(1_100);
  });

  it('stands beside what else is known of it', () => {
    expect(podSummary(pod({ phase: 'Pending' }))).toMatchObject({
      phase: 'Pending',
      ready: false,
      restarts: 0,
    });
  });
});
