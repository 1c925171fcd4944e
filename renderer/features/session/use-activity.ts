import { useEffect, useState, useSyncExternalStore } from 'react';
import { useClient, useConnection } from '../../ipc/client.ts';
import { ActivityLog } from './activity-log.ts';

/** Batches that main may send before the window has drawn one. */
const credit = 8;

/** The files that travel in a session, for as long as its page is there; opened again after a lost connection. */
export function useActivityLog(session: string): ActivityLog {
  const client = useClient();
  const connection = useConnection();
  const [log] = useState(() => new ActivityLog());
  const open = connection === 'open';
  useEffect(() => {
    if (!open) return undefined;
    log.clear();
    const stream = client.open(
      'sessions.activity',
      { session },
      {
        credit,
        onMessage: (batch) => {
          log.add(batch);
          // Room is given back with the frame that draws it: a window that does not draw is not sent more.
          requestAnimationFrame(() => stream.grant(1));
        },
        onEnd: () => undefined,
        onError: () => undefined,
      },
    );
    return () => stream.close();
  }, [client, session, log, open]);
  return log;
}

/** Draws anew when the log has something new, at most once per frame. */
export function useLogVersion(log: ActivityLog): number {
  return useSyncExternalStore(log.subscribe, () => log.version);
}
