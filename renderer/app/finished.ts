import type { Task } from '../../contract/app.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import type { Tone } from '../ui/badge.tsx';

/** Something that came to its end while the user was elsewhere. */
export interface Finished {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  /** Address of its page. */
  readonly href?: string | undefined;
}

/**
 * What finished between two looks at the tasks and does not belong to the page that is shown. The first look tells
 * nothing: what had ended before the window was there is no news.
 */
export function finishedTasks(
  before: Readonly<Record<string, Task>> | undefined,
  after: Readonly<Record<string, Task>>,
  shownHref: string,
): readonly Finished[] {
  if (before === undefined) return [];
  return Object.entries(after).flatMap(([id, task]) => {
    const wasRunning = before[id]?.state === 'running';
    const ended = task.state === 'done' || task.state === 'failed';
    if (!wasRunning || !ended || (task.route !== undefined && samePage(task.route, shownHref))) return [];
    const failed = task.state === 'failed';
    return [
      {
        tone: failed ? ('error' as const) : ('ok' as const),
        title: failed ? `${task.title} did not finish` : `${task.title} is done`,
        text: failed ? (task.error?.message ?? task.detail) : task.detail,
        href: task.route,
      },
    ];
  });
}

/** The same for sessions: those that ended, failed or left something. */
export function finishedSessions(
  before: Readonly<Record<string, SessionSummary>> | undefined,
  after: Readonly<Record<string, SessionSummary>>,
  shownSession: string | undefined,
  hrefOf: (session: string) => string,
): readonly Finished[] {
  if (before === undefined) return [];
  return Object.values(after).flatMap((session) => {
    const earlier = before[session.id]?.stage;
    if (earlier === undefined || earlier === session.stage || session.id === shownSession) return [];
    const told = sessionEnd(session);
    return told === undefined ? [] : [{ ...told, text: session.sentence, href: hrefOf(session.id) }];
  });
}

function sessionEnd(session: SessionSummary): Pick<Finished, 'tone' | 'title'> | undefined {
  switch (session.stage) {
    case 'ended':
      return { tone: 'ok', title: `${session.target} is as it was` };
    case 'left':
      return { tone: 'warn', title: `${session.target} was not put back completely` };
    case 'failed':
      return { tone: 'error', title: `The session on ${session.target} failed` };
    case 'starting':
    case 'running':
    case 'stopping':
      return undefined;
  }
}

/** Either may name a page more exactly than the other: a tab of it, or what of it is looked at. */
function samePage(route: string, href: string): boolean {
  const parts = (text: string) => text.replace(/^#?\/?/, '').split('/');
  const [one, other] = [parts(route), parts(href)];
  return one.slice(0, other.length).every((part, index) => part === other[index]);
}
