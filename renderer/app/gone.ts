import { useEffect, useState } from 'react';
import { useConnection, useRefused } from '../ipc/client.ts';

/** What stands between the window and main; undefined while they speak. */
export type Gone =
  { readonly kind: 'lost'; readonly since: string } | { readonly kind: 'refused' } | undefined;

/** Whether main is gone, and since when. */
export function useGone(): Gone {
  const connection = useConnection();
  const refused = useRefused();
  const [since, setSince] = useState<string>();
  useEffect(() => {
    setSince(connection === 'lost' ? new Date().toISOString() : undefined);
  }, [connection]);
  if (refused) return { kind: 'refused' };
  if (connection !== 'lost') return undefined;
  return { kind: 'lost', since: since ?? new Date().toISOString() };
}

/** Why nothing can be done meanwhile. */
export function blockedReason(gone: Gone): string | undefined {
  switch (gone?.kind) {
    case undefined:
      return undefined;
    case 'lost':
      return 'Slipway’s main process does not answer.';
    case 'refused':
      return 'This window is not let in: open the address that Slipway printed.';
  }
}
