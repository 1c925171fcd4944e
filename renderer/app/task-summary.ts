import type { Task } from '../../contract/app.ts';

/** What the status bar says of the tasks. */
export interface TaskSummary {
  readonly text: string;
  /** 0 to 1; undefined when there is none, or nobody knows. */
  readonly progress: number | undefined;
  readonly running: number;
  readonly failed: number;
}

/** Running tasks first, the latest before the others; then the ended ones. */
export function tasksInOrder(tasks: Readonly<Record<string, Task>>): readonly Task[] {
  const rank = (task: Task) => (task.state === 'running' ? 0 : 1);
  return Object.values(tasks).toSorted((a, b) => rank(a) - rank(b) || b.startedAt.localeCompare(a.startedAt));
}

/** One line for all tasks: what runs, else what failed, else that something is done. */
export function summarizeTasks(tasks: readonly Task[]): TaskSummary | undefined {
  if (tasks.length === 0) return undefined;
  const running = tasks.filter(({ state }) => state === 'running');
  const failed = tasks.filter(({ state }) => state === 'failed').length;
  const [only] = running;
  if (running.length === 1 && only !== undefined)
    return { text: only.title, progress: only.progress, running: 1, failed };
  if (running.length > 1) {
    const known = running.flatMap(({ progress }) => progress ?? []);
    const mean =
      known.length === running.length ? known.reduce((sum, one) => sum + one, 0) / known.length : undefined;
    return { text: `${running.length} tasks`, progress: mean, running: running.length, failed };
  }
  if (failed > 0)
    return {
      text: failed === 1 ? '1 task failed' : `${failed} tasks failed`,
      progress: undefined,
      running: 0,
      failed,
    };
  return {
    text: tasks.length === 1 ? '1 task ended' : `${tasks.length} tasks ended`,
    progress: undefined,
    running: 0,
    failed,
  };
}
