import { describe, expect, it } from 'vitest';
import type { Task } from '../../contract/app.ts';
import { summarizeTasks, tasksInOrder } from './task-summary.ts';

const task = (id: string, parts: Partial<Task> = {}): Task => ({
  id,
  title: `Task ${id}`,
  state: 'running',
  detail: '',
  startedAt: `2026-03-03T12:00:0${id}Z`,
  cancellable: true,
  ...parts,
});

describe('the line for all tasks', () => {
  it.each([
    ['none', [], undefined],
    ['one', [task('1', { progress: 0.43 })], { text: 'Task 1', progress: 0.43 }],
    [
      'two whose progress is known',
      [task('1', { progress: 0.25 }), task('2', { progress: 0.35 })],
      { text: '2 tasks', progress: 0.3 },
    ],
    [
      'two of which one tells',
      [task('1', { progress: 0.2 }), task('2')],
      { text: '2 tasks', progress: undefined },
    ],
    ['one beside ended ones', [task('1'), task('2', { state: 'failed' })], { text: 'Task 1', failed: 1 }],
    [
      'failed ones',
      [task('1', { state: 'failed' }), task('2', { state: 'done' })],
      { text: '1 task failed' },
    ],
    [
      'ended ones',
      [task('1', { state: 'done' }), task('2', { state: 'cancelled' })],
      { text: '2 tasks ended' },
    ],
  ])('%s', (_name, tasks, expected) => {
    const summary = summarizeTasks(tasks);
    if (expected === undefined) expect(summary).toBeUndefined();
    else expect(summary).toMatchObject(expected);
  });
});

it('lists running tasks first, the latest before the others', () => {
  const tasks = {
    a: task('1', { state: 'done' }),
    b: task('2'),
    c: task('3'),
    d: task('4', { state: 'failed' }),
  };
  expect(tasksInOrder(tasks).map(({ id }) => id)).toEqual(['3', '2', '4', '1']);
});
