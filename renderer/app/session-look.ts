import type { Health, SessionStage, SessionSummary } from '../../contract/sessions.ts';
import type { Tone } from '../ui/badge.tsx';

const tones: Readonly<Record<Health, Tone>> = {
  ok: 'ok',
  busy: 'info',
  attention: 'warn',
  error: 'error',
  idle: 'neutral',
};

/** Whether how it is may change any more: of what is over everything is known, also while main is gone. */
export function isOver(stage: SessionStage): boolean {
  return stage === 'ended' || stage === 'left' || stage === 'failed';
}

/** The one sentence, or what it was when main was last heard of. */
export function knownSentence(session: Pick<SessionSummary, 'stage' | 'sentence'>, stale: boolean): string {
  return stale && !isOver(session.stage) ? `Not known; last known: ${session.sentence}` : session.sentence;
}

/** How many files both sides changed, in words. */
export function conflictCount(conflicts: number): string {
  return conflicts === 1 ? '1 conflict' : `${conflicts.toLocaleString('en')} conflicts`;
}

/** What of the sync wants a look, for a badge; undefined for nothing. */
export function syncBadge({
  held,
  conflicts,
}: Pick<SessionSummary, 'held' | 'conflicts'>): string | undefined {
  const words = [
    ...(held > 0 ? [`${held.toLocaleString('en')} held`] : []),
    ...(conflicts > 0 ? [conflictCount(conflicts)] : []),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

/** The sign of a session's health. */
export function healthTone(health: Health): Tone {
  return tones[health];
}

/** The word beside a session's name in a narrow place; undefined when it is the time of the last sync. */
export function sessionWord(session: SessionSummary, stale: boolean): string | undefined {
  if (stale && !isOver(session.stage)) return 'not known';
  switch (session.stage) {
    case 'starting':
    case 'stopping':
    case 'ended':
    case 'failed':
      return session.stage;
    case 'left':
      return 'left over';
    case 'running':
      if (session.conflicts > 0) return conflictCount(session.conflicts);
      if (session.held > 0) return `${session.held} held`;
      return session.lastSyncAt === undefined ? session.health : undefined;
  }
}

const urgency: Readonly<Record<Health, number>> = { error: 4, attention: 3, busy: 2, ok: 1, idle: 0 };

/** The session that a line with room for one tells of: the one on the page, else the most urgent one of the place. */
export function sessionOfPlace(
  sessions: readonly SessionSummary[],
  place: {
    readonly session?: string | undefined;
    readonly cluster?: string | undefined;
    readonly namespaces: readonly string[];
  },
): SessionSummary | undefined {
  const own = sessions.find((session) => session.id === place.session);
  if (own !== undefined) return own;
  const live = sessions.filter((session) => session.stage !== 'ended');
  const near = (session: SessionSummary) =>
    (session.cluster === place.cluster ? 10 : 0) +
    (session.cluster === place.cluster && place.namespaces.includes(session.namespace) ? 10 : 0) +
    urgency[session.health];
  return live.toSorted((a, b) => near(b) - near(a) || a.startedAt.localeCompare(b.startedAt))[0];
}

/** Ports that running sessions forward. */
export function forwardCount(sessions: readonly SessionSummary[]): number {
  return sessions
    .filter(({ stage }) => stage === 'running' || stage === 'starting')
    .reduce((sum, session) => sum + session.ports, 0);
}
