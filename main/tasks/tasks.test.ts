import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { createTasks, maximumEndedTasks, type TaskProgress } from './tasks.ts';

const failure = new SlipwayError({
  code: 'disk.full',
  message: 'Full.',
  cause: 'No space.',
  next: 'Free some.',
});
const forever = (_progress: TaskProgress, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const onBug = (error: unknown): void => {
  throw error;
};

describe('tasks', () => {
  it('tell how far they are and end with a result', async () => {
    await using tasks = createTasks({ clock: systemClock, onBug });
    let go: (() => void) | undefined;
    const { id, result } = tasks.start({ title: 'Copying', route: '#/x' }, async (progress) => {
      progress.report({ detail: 'half', progress: 0.5 });
      await new Promise<void>((resolve) => (go = resolve));
      progress.report({ progress: 7 });
      return 42;
    });
    expect(tasks.value.items[id]).toMatchObject({ title: 'Copying', state: 'running', route: '#/x' });
    await expect.poll(() => tasks.value.items[id]?.progress).toBe(0.5);
    go?.();
    expect(await result).toBe(42);
    expect(tasks.value.items[id]).toMatchObject({ state: 'done', detail: 'half', cancellable: false });
  });

  it('that fail carry the error', async () => {
    await using tasks = createTasks({ clock: systemClock, onBug });
    const { id, result } = tasks.start({ title: 'x' }, () => Promise.reject(failure));
    await expect(result).rejects.toBe(failure);
    expect(tasks.value.items[id]).toMatchObject({ state: 'failed', error: { code: 'disk.full' } });
    tasks.tell('Settings', failure.toValue());
    expect(Object.values(tasks.value.items).at(-1)).toMatchObject({ title: 'Settings', state: 'failed' });
  });

  it('that fail as nobody expected say so and end nothing else', async () => {
    const bugs: unknown[] = [];
    await using tasks = createTasks({ clock: systemClock, onBug: (error) => void bugs.push(error) });
    const bug = new Error('spawn sh ENOENT');
    const { id, result } = tasks.start({ title: 'x' }, () => Promise.reject(bug));
    await expect(result).rejects.toBe(bug);
    expect(tasks.value.items[id]?.state).toBe('failed');
    expect(bugs).toEqual([bug]);
  });

  it('are cancelled by their signal, unless they cannot be', async () => {
    await using tasks = createTasks({ clock: systemClock, onBug });
    const stop = new AbortController();
    const first = tasks.start({ title: 'a' }, forever);
    const second = tasks.start({ title: 'b', cancellable: false, signal: stop.signal }, forever);
    tasks.cancel(first.id);
    tasks.cancel(second.id);
    tasks.cancel('none');
    await expect(first.result).rejects.toThrow('Cancelled');
    expect(tasks.value.items[first.id]?.state).toBe('cancelled');
    expect(tasks.value.items[second.id]?.state).toBe('running');
    const reason = new Error('closed');
    reason.name = 'AbortError';
    stop.abort(reason);
    await expect(second.result).rejects.toBe(reason);
    expect(tasks.value.items[second.id]?.state).toBe('cancelled');
  });

  it('that have ended are kept up to a bound and forgotten on request; running ones stay', async () => {
    await using tasks = createTasks({ clock: systemClock, onBug });
    const running = tasks.start({ title: 'running' }, forever);
    for (let index = 0; index < maximumEndedTasks + 5; index++) {
      await tasks.start({ title: String(index) }, () => Promise.resolve()).result;
    }
    const titles = Object.values(tasks.value.items).map(({ title }) => title);
    expect(titles).toHaveLength(maximumEndedTasks + 1);
    expect(titles.slice(0, 2)).toEqual(['running', '5']);
    tasks.clear();
    expect(Object.keys(tasks.value.items)).toEqual([running.id]);
  });

  it('all end with the app, which waits for them', async () => {
    const tasks = createTasks({ clock: systemClock, onBug });
    let cleaned = false;
    tasks.start({ title: 'x' }, async (_progress, signal) => {
      await forever(_progress, signal).catch(() => undefined);
      await systemClock.sleep(20);
      cleaned = true;
    });
    await Promise.resolve();
    await tasks[Symbol.asyncDispose]();
    expect(cleaned).toBe(true);
  });

  it('keep the objects of others as they are', async () => {
    await using tasks = createTasks({ clock: systemClock, onBug });
    const first = tasks.start({ title: 'a' }, forever);
    const before = tasks.value.items[first.id];
    tasks.start({ title: 'b' }, forever);
    expect(tasks.value.items[first.id]).toBe(before);
  });
});
