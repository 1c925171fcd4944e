import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../contract/sessions.ts';
import { forwardCount, knownSentence, sessionOfPlace, sessionWord, syncBadge } from './session-look.ts';

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
  expect(sessionWord(one, false)).toBe(expected);
});

it.each([
  [session({}), 'not known'],
  [session({ stage: 'starting' }), 'not known'],
  [session({ conflicts: 1 }), 'not known'],
  // What is over does not change any more.
  [session({ stage: 'left' }), 'left over'],
  [session({ stage: 'failed' }), 'failed'],
])('a word for a session of which nobody tells: %#', (one, expected) => {
  expect(sessionWord(one, true)).toBe(expected);
});

it.each([
  ['running', true, 'Not known; last known: In sync'],
  ['running', false, 'In sync'],
  ['ended', true, 'In sync'],
] as const)('the sentence of a session that is %s (stale: %s)', (stage, stale, expected) => {
  expect(knownSentence({ stage, sentence: 'In sync' }, stale)).toBe(expected);
});

it.each([
  [0, 0, undefined],
  [2, 0, '2 held'],
  [0, 1, '1 conflict'],
  [1, 1204, '1 held, 1,204 conflicts'],
])('the badge of the sync with %s held and %s conflicts', (held, conflicts, expected) => {
  expect(syncBadge({ held, conflicts })).toBe(expected);
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
