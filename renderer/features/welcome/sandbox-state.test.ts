import { describe, expect, it } from 'vitest';
import type { AppInfo, Task } from '../../../contract/app.ts';
import type { Cluster } from '../../../contract/clusters.ts';
import { sandboxState, sandboxTask } from './sandbox-state.ts';

const base: AppInfo = {
  version: '1',
  helper: '',
  platform: 'linux',
  host: 'web',
  homeFolder: '/home/a',
  startFolder: '/',
  stateFolder: '/home/a/.local/state/slipway',
  nativeFolderDialog: false,
  sandbox: { kind: 'available' },
};
const running = { ...base, sandbox: { kind: 'running', kubeconfig: '/k' } } as const;
const task: Task = {
  id: 't1',
  title: 'Start the Sandbox',
  state: 'running',
  detail: 'kubelet',
  startedAt: '',
  cancellable: true,
};
const cluster = { id: 'c1', file: '/k' } as Cluster;

describe('trying the sandbox', () => {
  it.each([
    [{ info: undefined, task: undefined, clusters: [] }, { kind: 'unknown' }],
    [{ info: base, task: undefined, clusters: [cluster] }, { kind: 'available' }],
    [
      { info: base, task, clusters: [] },
      { kind: 'starting', task: 't1', detail: 'kubelet' },
    ],
    [{ info: running, task: { ...task, state: 'done' }, clusters: [] }, { kind: 'unlisted' }],
    [
      { info: running, task: undefined, clusters: [cluster] },
      { kind: 'ready', cluster },
    ],
    [
      { info: { ...base, sandbox: { kind: 'unavailable', reason: 'No.' } }, task: undefined, clusters: [] },
      { kind: 'unavailable', reason: 'No.' },
    ],
  ] as const)('%#', (input, state) => {
    expect(sandboxState(input)).toMatchObject(state);
  });

  it('says why it did not come up', () => {
    const error = { code: 'cluster.failed', message: 'No.', cause: '', next: '' } as const;
    const failed = { ...task, state: 'failed', error } as const;
    expect(sandboxState({ info: base, task: failed, clusters: [] })).toEqual({ kind: 'available', error });
  });

  it('follows the task of another window as well', () => {
    expect(sandboxTask({ t1: task }, undefined)).toBe(task);
    expect(sandboxTask({ t1: { ...task, state: 'done' } }, undefined)).toBeUndefined();
    expect(sandboxTask({ t1: { ...task, state: 'failed' } }, 't1')?.state).toBe('failed');
  });
});
