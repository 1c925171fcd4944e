import { describe, expect, it } from 'vitest';
import type { Task } from '../../contract/app.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { finishedSessions, finishedTasks } from './finished.ts';

const task = (parts: Partial<Task>): Readonly<Record<string, Task>> => ({
  t: {
    id: 't',
    title: 'Restore web',
    state: 'running',
    detail: '',
    startedAt: '2026-03-03T12:00:00Z',
    cancellable: false,
    ...parts,
  },
});

describe('tasks that finished elsewhere', () => {
  it('are told once they end', () => {
    const told = finishedTasks(task({}), task({ state: 'done', detail: '2 put back' }), '#/welcome');
    expect(told).toEqual([{ tone: 'ok', title: 'Restore web is done', text: '2 put back', href: undefined }]);
  });

  it('are told with what stood against them', () => {
    const error = { code: 'cluster.timeout', message: 'No answer.', cause: '', next: '' } as const;
    expect(finishedTasks(task({}), task({ state: 'failed', error }), '#/welcome')).toMatchObject([
      { tone: 'error', text: 'No answer.' },
    ]);
  });

  it('are told on a page of another one', () => {
    const route = '#/leftovers/c1';
    expect(finishedTasks(task({ route }), task({ state: 'done', route }), '#/leftovers/c2')).toHaveLength(1);
    expect(finishedTasks(task({ route }), task({ state: 'done', route }), '#/welcome')).toHaveLength(1);
  });

  it.each([
    ['before the window was there', undefined, task({ state: 'done' }), '#/welcome'],
    ['earlier', task({ state: 'done' }), task({ state: 'done' }), '#/welcome'],
    ['by the user', task({}), task({ state: 'cancelled' }), '#/welcome'],
    [
      'on the page that is shown',
      task({ route: '#/leftovers' }),
      task({ state: 'done', route: '#/leftovers' }),
      '#/leftovers/c1',
    ],
    [
      'on a tab of the page that is shown',
      task({ route: '#/session/s1/sync' }),
      task({ state: 'done', route: '#/session/s1/sync' }),
      '#/session/s1',
    ],
    [
      'on a page that names no cluster',
      task({ route: '#/leftovers/c1' }),
      task({ state: 'done', route: '#/leftovers/c1' }),
      '#/leftovers',
    ],
  ])('are no news when they ended %s', (_name, before, after, href) => {
    expect(finishedTasks(before, after, href)).toEqual([]);
  });
});

describe('sessions that came to an end elsewhere', () => {
  const session = (stage: SessionSummary['stage']): Readonly<Record<string, SessionSummary>> => ({
    s: {
      id: 's',
      cluster: 'c',
      namespace: 'n',
      target: 'web',
      kind: 'Deployment',
      folder: '/f',
      stage,
      health: 'ok',
      sentence: 'Everything is as it was.',
      startedAt: '2026-03-03T12:00:00Z',
      held: 0,
      conflicts: 0,
      ports: 0,
    },
  });
  const href = (id: string) => `#/session/${id}`;

  it.each([
    ['ended', 'ok'],
    ['left', 'warn'],
    ['failed', 'error'],
  ] as const)('are told: %s', (stage, tone) => {
    expect(finishedSessions(session('stopping'), session(stage), undefined, href)).toMatchObject([
      { tone, href: '#/session/s' },
    ]);
  });

  it('are not told on their own page, at first sight, or while they go on', () => {
    expect(finishedSessions(session('stopping'), session('ended'), 's', href)).toEqual([]);
    expect(finishedSessions({}, session('ended'), undefined, href)).toEqual([]);
    expect(finishedSessions(session('starting'), session('running'), undefined, href)).toEqual([]);
  });
});
