import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../contract/sessions.ts';
import { forwardCount, sessionOfPlace, sessionWord } from './session-look.ts';

const session = (parts: Partial<SessionSummary>): SessionSummary => ({
  id: 's',
  cluster: 'c',
  namespace: 'n',
  target: 'web',
  kind: 'Deployment',
  folder: '/f',
  stage: 'running',
  health: 'ok',
  sentence: '',
  startedAt: '2026-03-03T12:00:00Z',
  lastSyncAt: '2026-03-03T12:00:00Z',
  held: 0,
  conflicts: 0,
  ports: 0,
  ...parts,
});

it.each([
  [session({}), undefined],
  [session({ lastSyncAt: undefined, health: 'busy' }), 'busy'],
  [session({ held: 2 }), '2 held'],
  [session({ held: 2, conflicts: 1 }), '1 conflict'],
  [session({ stage: 'starting', held: 2 }), 'starting'],
  [session({ stage: 'left' }), 'left over'],
])('a word for a session: %#', (one, expected) => {
  expect(sessionWord(one)).toBe(expected);
});

describe('the session that the status bar tells of', () => {
  const near = session({ id: 'near', namespace: 'shop' });
  const worse = session({ id: 'worse', health: 'error' });
  const far = session({ id: 'far', cluster: 'other', health: 'error' });
  const ended = session({ id: 'ended', namespace: 'shop', stage: 'ended', health: 'error' });

  it.each([
    ['the one on the page', { session: 'far', cluster: 'c', namespaces: ['shop'] }, 'far'],
    ['one of the namespace', { cluster: 'c', namespaces: ['shop'] }, 'near'],
    ['the most urgent of the cluster', { cluster: 'c', namespaces: [] }, 'worse'],
    ['the most urgent of all', { namespaces: [] }, 'worse'],
  ])('is %s', (_name, place, id) => {
    expect(sessionOfPlace([ended, near, worse, far], place)?.id).toBe(id);
  });

  it('is none without any', () => {
    expect(sessionOfPlace([ended], { namespaces: [] })).toBeUndefined();
  });
});

it('counts the ports of sessions that run', () => {
  expect(forwardCount([session({ ports: 2 }), session({ ports: 3, stage: 'ended' })])).toBe(2);
});
