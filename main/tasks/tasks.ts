import type { Task } from '../../contract/app.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation, isSlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { Store } from '../base/store.ts';

/** How many tasks that have ended are remembered. */
export const maximumEndedTasks = 100;
/** Bound on a task's word on how far it is, in characters. */
const maximumDetailLength = 500;

export interface TaskOptions {
  readonly title: string;
  /** True unless said otherwise. */
  readonly cancellable?: boolean | undefined;
  /** The page that it belongs to. */
  readonly route?: string | undefined;
  /** Ends it as cancelling does. */
  readonly signal?: AbortSignal | undefined;
}

/** A task's own word on how far it is. */
export interface TaskProgress {
  /** `progress` is 0 to 1. After the end nothing is taken any more. */
  report(word: { readonly detail?: string | undefined; readonly progress?: number | undefined }): void;
}

export interface StartedTask<Result> {
  readonly id: string;
  /** Rejects as the work does; nobody has to wait for it. */
  readonly result: Promise<Result>;
}

export interface TaskList {
  readonly items: Readonly<Record<string, Task>>;
}

/** What takes long, for every window to see; ended tasks are remembered up to {@link maximumEndedTasks}. */
export interface Tasks extends AsyncDisposable {
  readonly value: TaskList;
  readonly onChange: Event<void>;
  start<Result>(
    options: TaskOptions,
    work: (progress: TaskProgress, signal: AbortSignal) => Promise<Result>,
  ): StartedTask<Result>;
  /** Tells something that went wrong by itself, as a task that has failed. */
  tell(title: string, error: ErrorValue): void;
  /** Asks the task to end; nothing happens when it has ended or cannot be cancelled. */
  cancel(id: string): void;
  /** Forgets tasks that have ended. */
  clear(): void;
}

export interface TasksOptions {
  readonly clock: Clock;
  /** Hears of what a task failed with and nobody expected: sessions and windows live on. */
  readonly onBug: (error: unknown) => void;
}

export function createTasks({ clock, onBug }: TasksOptions): Tasks {
  const store = new Store<TaskList>({ items: {} });
  const running = new Map<string, { readonly stop: AbortController; readonly ended: Promise<unknown> }>();
  let last = 0;
  const newId = (): string => `task-${(last += 1)}`;
  const now = (): string => new Date(clock.now()).toISOString();
  const change = (id: string, part: Partial<Task>): void => {
    const task = store.value.items[id];
    if (task === undefined) return;
    const items = { ...store.value.items, [id]: { ...task, ...part } };
    store.set({ items: part.state === undefined ? items : withoutOldest(items) });
  };
  const add = (id: string, task: Omit<Task, 'id'>): void =>
    store.set({ items: withoutOldest({ ...store.value.items, [id]: { id, ...task } }) });
  const follow = async <Result>(id: string, work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      change(id, { state: 'done', progress: undefined, cancellable: false });
      return result;
    } catch (error) {
      const ended = { progress: undefined, cancellable: false };
      if (isCancellation(error)) change(id, { ...ended, state: 'cancelled' });
      else if (isSlipwayError(error)) change(id, { ...ended, state: 'failed', error: error.toValue() });
      else change(id, { ...ended, state: 'failed', detail: 'It failed in a way that nobody expected.' });
      throw error;
    } finally {
      running.delete(id);
    }
  };
  return {
    get value() {
      return store.value;
    },
    onChange: store.onChange,
    start<Result>(
      { title, cancellable = true, route, signal }: TaskOptions,
      work: (progress: TaskProgress, signal: AbortSignal) => Promise<Result>,
    ) {
      const id = newId();
      const stop = new AbortController();
      const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
      add(id, { title, state: 'running', detail: '', startedAt: now(), cancellable, route });
      const progress: TaskProgress = {
        report(word) {
          if (store.value.items[id]?.state === 'running') change(id, reported(word));
        },
      };
      const begin = async (): Promise<Result> => {
        // Its id is known before it begins, and it may be cancelled before that.
        await Promise.resolve();
        either.throwIfAborted();
        return work(progress, either);
      };
      const result = follow(id, begin());
      // Whoever started it need not wait.
      const ended = result.catch((error: unknown) => {
        if (!isCancellation(error) && !isSlipwayError(error)) onBug(error);
      });
      running.set(id, { stop, ended });
      return { id, result };
    },
    tell(title, error) {
      add(newId(), { title, state: 'failed', detail: '', startedAt: now(), cancellable: false, error });
    },
    cancel(id) {
      if (store.value.items[id]?.cancellable === true) running.get(id)?.stop.abort(new TaskCancelled());
    },
    clear() {
      const kept = Object.entries(store.value.items).filter(([, task]) => task.state === 'running');
      store.set({ items: Object.fromEntries(kept) });
    },
    async [Symbol.asyncDispose]() {
      const open = [...running.values()];
      for (const { stop } of open) stop.abort(new TaskCancelled());
      await Promise.allSettled(open.map(({ ended }) => ended));
      store[Symbol.dispose]();
    },
  };
}

function reported({ detail, progress }: Parameters<TaskProgress['report']>[0]): Partial<Task> {
  return {
    ...(detail === undefined ? {} : { detail: detail.slice(0, maximumDetailLength) }),
    ...(progress === undefined ? {} : { progress: Math.min(1, Math.max(0, progress)) }),
  };
}

/** Tasks stand in the order of their beginning. */
function withoutOldest(items: TaskList['items']): TaskList['items'] {
  const ended = Object.values(items).filter((task) => task.state !== 'running');
  const forgotten = new Set(
    ended.slice(0, Math.max(0, ended.length - maximumEndedTasks)).map(({ id }) => id),
  );
  if (forgotten.size === 0) return items;
  return Object.fromEntries(Object.entries(items).filter(([id]) => !forgotten.has(id)));
}

/** The reason of an abort that a window asked for. */
class TaskCancelled extends Error {
  constructor() {
    super('Cancelled');
    this.name = 'CancellationError';
  }
}
