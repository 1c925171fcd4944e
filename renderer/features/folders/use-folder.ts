import { useEffect, useState } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import type { ErrorValue } from '../../../contract/errors.ts';
import { RemoteError, useClient } from '../../ipc/client.ts';

type Folder = OutputOf<'app.listFolders'>;

/** How long after the last key a folder is listed. */
const settleMs = 120;

/**
 * The folders below one. The former list stays until the next is there, so that nothing jumps while somebody types; an
 * answer that was overtaken is dropped.
 */
export function useFolder(path: string | undefined): {
  readonly folder: Folder | undefined;
  readonly error: ErrorValue | undefined;
} {
  const client = useClient();
  const [folder, setFolder] = useState<Folder>();
  const [error, setError] = useState<ErrorValue>();
  useEffect(() => {
    if (path === undefined || path === '') return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client.call('app.listFolders', { path }, { signal: stop.signal }).then(
        (found) => {
          if (stop.signal.aborted) return;
          setFolder(found);
          setError(undefined);
        },
        (failure: unknown) => {
          if (stop.signal.aborted) return;
          if (!(failure instanceof RemoteError)) throw failure;
          setError(failure.value);
        },
      );
    }, settleMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, path]);
  return { folder, error };
}
