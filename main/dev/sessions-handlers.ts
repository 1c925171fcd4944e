import { pageSize, type TrashEntry } from '../../contract/sessions.ts';
import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import { streamActivity } from './activity-stream.ts';
import type { LiveSession } from './live-session.ts';
import type { LiveSessions } from './live-sessions.ts';

/** Answers what windows ask about sessions. */
export function createSessionsHandlers({
  live,
  clock,
}: {
  readonly live: LiveSessions;
  readonly clock: Clock;
}): HandlersOf<'sessions'> {
  return {
    'sessions.list': () => sourceOf(live.list),
    'sessions.detail': ({ session }) => sourceOf(live.get(session).detail),
    'sessions.start': async (request) => ({ session: await live.start(request) }),
    'sessions.stop': async ({ session, keep }) => {
      live.get(session).requestStop(keep === true);
      return {};
    },
    'sessions.forget': async ({ session }) => {
      live.forget(session);
      return {};
    },
    'sessions.nudge': async ({ session }) => {
      live.get(session).nudge();
      return {};
    },
    'sessions.heldPaths': async ({ session, held, offset }) => {
      const paths = live.get(session).heldPaths(held);
      return { paths: paths.slice(offset, offset + pageSize), total: paths.length };
    },
    'sessions.answerHeld': async ({ session, held, choice }) => ({
      message: live.get(session).answer(held, choice),
    }),
    'sessions.restoreChange': async ({ session, change }, { signal }) => ({
      message: await live.get(session).restoreChange(change, signal),
    }),
    'sessions.tree': async ({ session, pair, path, offset }, { signal }) =>
      live.get(session).view(pair).list(path, { offset, limit: pageSize, signal }),
    'sessions.trash': async ({ session, search }) => searchTrash(live.get(session), search),
    'sessions.restoreTrash': async ({ session, pair, id }) => ({
      path: await live.get(session).view(pair).restore(id),
    }),
    'sessions.activity': ({ session }, peer) => {
      const { activity, onActivity, over } = live.get(session);
      return streamActivity({ ring: activity, onAdded: onActivity, over, clock }, peer);
    },
  };
}

/** A window's look at a value that outlives it: ending the look must not end the value. */
function sourceOf<Value>(store: { readonly value: Value; readonly onChange: Event<void> }) {
  return {
    get value() {
      return store.value;
    },
    onChange: store.onChange,
    [Symbol.dispose]: () => undefined,
  };
}

async function searchTrash(
  session: LiveSession,
  search: string,
): Promise<{ readonly entries: readonly TrashEntry[]; readonly total: number }> {
  const wanted = search.toLowerCase();
  const found = await Promise.all(
    session.views.map(async (view, pair) =>
      (await view.trashed())
        .filter(({ path }) => path.toLowerCase().includes(wanted))
        .map((version) => ({ ...version, pair })),
    ),
  );
  const all = found.flat().sort((a, b) => b.trashedAt - a.trashedAt);
  const entries = all.slice(0, pageSize).map(({ id, pair, path, size, trashedAt, reason, origin }) => ({
    id,
    pair,
    path,
    size,
    trashedAt: new Date(trashedAt).toISOString(),
    reason,
    origin,
  }));
  return { entries, total: all.length };
}
