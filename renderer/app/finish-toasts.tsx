import { useEffect, useRef } from 'react';
import type { Task } from '../../contract/app.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { useRemote } from '../ipc/client.ts';
import { useToast } from '../ui/toast.tsx';
import { localSentence } from '../ui/time-text.ts';
import { finishedSessions, finishedTasks } from './finished.ts';
import { hrefOf, type Route } from './route.ts';

/** Says by toasts what came to its end while another page is shown. */
export function FinishToasts({ route }: { readonly route: Route }) {
  const toast = useToast();
  const tasks = useRemote('app.tasks', {}).value?.items;
  const listing = useRemote('sessions.list', {}).value;
  const sessions = listing === undefined || listing.state === 'loading' ? undefined : listing.items;
  const before = useRef<{
    tasks?: Readonly<Record<string, Task>> | undefined;
    sessions?: Readonly<Record<string, SessionSummary>> | undefined;
  }>({});
  useEffect(() => {
    const last = before.current;
    before.current = { tasks, sessions };
    const shownSession = route.page === 'session' ? route.session : undefined;
    const news = [
      ...finishedTasks(last.tasks, tasks ?? {}, hrefOf(route)),
      ...finishedSessions(last.sessions, sessions ?? {}, shownSession, (session) =>
        hrefOf({ page: 'session', session }),
      ),
    ];
    for (const { tone, title, text, href } of news)
      toast({
        tone,
        title,
        text: localSentence(text, new Date()),
        action:
          href === undefined
            ? undefined
            : {
                label: 'Open Its Page',
                run: () => {
                  location.hash = href;
                },
              },
      });
    // The route decides what is elsewhere; a change of it alone is no news.
  }, [tasks, sessions]);
  return null;
}
