import type { AppInfo, Task } from '../../../contract/app.ts';
import type { Cluster } from '../../../contract/clusters.ts';
import type { ErrorValue } from '../../../contract/errors.ts';

/** How far trying the sandbox is. */
export type SandboxState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'available'; readonly error?: ErrorValue | undefined }
  | {
      readonly kind: 'starting';
      readonly task: string;
      readonly detail: string;
      readonly progress?: number | undefined;
      readonly cancellable: boolean;
    }
  /** It runs, and its kubeconfig is not in the list (yet). */
  | { readonly kind: 'unlisted' }
  | { readonly kind: 'ready'; readonly cluster: Cluster };

/** From what the app says of itself, the task that brings it up, and the clusters that are known. */
export function sandboxState(input: {
  readonly info: AppInfo | undefined;
  readonly task: Task | undefined;
  readonly clusters: readonly Cluster[];
}): SandboxState {
  const { info, task, clusters } = input;
  if (info === undefined) return { kind: 'unknown' };
  if (task?.state === 'running') {
    const { id, detail, progress, cancellable } = task;
    return { kind: 'starting', task: id, detail, progress, cancellable };
  }
  const { sandbox } = info;
  switch (sandbox.kind) {
    case 'unavailable':
      return { kind: 'unavailable', reason: sandbox.reason };
    case 'available':
      return { kind: 'available', error: task?.error };
    case 'running': {
      const cluster = clusters.find(({ file }) => file === sandbox.kubeconfig);
      return cluster === undefined ? { kind: 'unlisted' } : { kind: 'ready', cluster };
    }
  }
}

/** The task that brings the sandbox up: the one that was begun here, or one that another window began. */
export function sandboxTask(
  tasks: Readonly<Record<string, Task>>,
  begun: string | undefined,
): Task | undefined {
  const own = begun === undefined ? undefined : tasks[begun];
  return (
    own ?? Object.values(tasks).findLast(({ title, state }) => state === 'running' && title === taskTitle)
  );
}

/** What main calls it. */
const taskTitle = 'Start the Sandbox';
