import { useEffect, useState } from 'react';
import type { LinkSample } from '../../../contract/sessions.ts';
import { useClient, useConnection } from '../../ipc/client.ts';
import { keptSamples } from './link-look.ts';

/** What is known of a session's connections: the latest sample, and the rates of the last minute. */
export interface LinkHistory {
  readonly latest: LinkSample | undefined;
  readonly up: readonly number[];
  readonly down: readonly number[];
}

const nothing: LinkHistory = { latest: undefined, up: [], down: [] };

/** Followed while it is shown; one sample comes a second. */
export function useLink(session: string): LinkHistory {
  const client = useClient();
  const open = useConnection() === 'open';
  const [history, setHistory] = useState(nothing);
  useEffect(() => {
    if (!open) return undefined;
    const stream = client.open(
      'sessions.link',
      { session },
      {
        credit: 2,
        onMessage: (latest) => {
          setHistory((before) => ({
            latest,
            up: [...before.up, latest.upRate].slice(-keptSamples),
            down: [...before.down, latest.downRate].slice(-keptSamples),
          }));
          stream.grant(1);
        },
        onEnd: () => undefined,
        onError: () => undefined,
      },
    );
    return () => stream.close();
  }, [client, session, open]);
  return history;
}
