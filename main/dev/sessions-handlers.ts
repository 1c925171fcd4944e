import { pageSize } from '../../contract/sessions.ts';
import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import { streamActivity } from './activity-stream.ts';
import { conflictVersions, swapConflict } from './conflict-versions.ts';
import { heldPage } from './held-page.ts';
import { streamLinks } from './link-samples.ts';
import type { LiveSession } from './live-session.ts';
import type { LiveSessions } from './live-sessions.ts';
import { bringHere, restoreVersions, searchContainerTrash, searchTrash } from './session-trashes.ts';

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
    'sessions.heldPaths': async ({ session, held, offset, search }) =>
      heldPage(live.get(session).heldView(held), { offset, search: search ?? '' }),
    'sessions.conflict': async ({ session, conflict, fresh }, { signal }) => {
      const { note, view } = conflictOf(live.get(session), conflict);
      return conflictVersions(view, note, { fresh: fresh === true, signal });
    },
    'sessions.swapConflict': async ({ session, conflict }) => {
      const { note, view } = conflictOf(live.get(session), conflict);
      const message = await swapConflict(view, note);
      live.get(session).swapped(conflict, message);
      return { message };
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
    'sessions.restoreVersions': async ({ session, versions, batch, to }) =>
      restoreVersions(live.get(session), { versions, batch, to }),
    'sessions.containerTrash': async ({ session, search }) => searchContainerTrash(live.get(session), search),
    'sessions.bringHere': async ({ session, pair, id, to }, { signal }) => ({
      path: await bringHere(live.get(session), { pair, id, to }, signal),
    }),
    'sessions.link': ({ session }, peer) => {
      const one = live.get(session);
      const now = () =>
        one.detail.value.pairs.map((_, pair) => ({
          state: one.syncStates[pair],
          link: one.linkOf(pair),
        }));
      return streamLinks({ now, over: one.over, clock }, peer);
    },
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

function conflictOf(session: LiveSession, key: string) {
  const note = session.conflict(key);
  return { note, view: session.view(note.pair ?? 0) };
}
