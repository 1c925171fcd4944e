import { expect, test } from 'vitest';
import type { SessionStage, SessionSummary } from '../../../contract/sessions.ts';
import { guardedSessions } from './session-list.ts';

function summaries(stages: readonly SessionStage[]): Record<string, SessionSummary> {
  return Object.fromEntries(
    stages.map((stage, index) => [
      `s${index}`,
      {
        id: `s${index}`,
        cluster: 'c1',
        namespace: 'shop',
        target: stage,
        kind: 'Deployment',
        folder: '/home/user/shop',
        stage,
        health: 'ok',
        sentence: '',
        startedAt: '2026-01-01T00:00:00Z',
        held: 0,
        conflicts: 0,
        ports: 0,
      },
    ]),
  );
}

test('what holds a workload is named, and after the stop what was left', async () => {
  let items = summaries(['starting', 'running', 'stopping', 'ended', 'left', 'failed']);
  const sessions = guardedSessions({
    sessions: {
      list: {
        get value() {
          return { state: 'ready', items } as const;
        },
      },
      async stopAll() {
        items = summaries(['ended', 'left']);
      },
    },
    leftBehind: () =>
      Object.values(items).flatMap(({ stage }) => (stage === 'left' ? ['Deployment/web'] : [])),
  });
  expect(sessions.running()).toEqual(['starting in shop', 'running in shop', 'stopping in shop']);
  expect(await sessions.stopAll()).toEqual(['Deployment/web']);
  expect(sessions.running()).toEqual([]);
});
