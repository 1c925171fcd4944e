import { useCallback, useEffect, useRef, useState } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import { pageSize, type HeldPath, type HeldSum, type HeldWork } from '../../../contract/sessions.ts';
import { RemoteError, useClient } from '../../ipc/client.ts';
import type { HeldRow } from './held-sums.ts';
import { typingMs } from './path-search.tsx';

interface Found {
  readonly total: number;
  readonly pages: ReadonlyMap<number, readonly HeldPath[]>;
  readonly laptop?: HeldSum | undefined;
  readonly container?: HeldSum | undefined;
  readonly error?: ErrorValue | undefined;
}

/** All paths of held work, asked for page by page as they come into sight; those that came with the state until then. */
export function useHeldPaths(session: string, work: HeldWork, open: boolean, search: string) {
  const client = useClient();
  const [found, setFound] = useState<Found>({ total: work.count, pages: new Map() });
  const asked = useRef({ pages: new Set<number>(), abort: new AbortController() });
  const wanted = search.trim();
  const ask = useCallback(
    (page: number) => {
      const { pages, abort } = asked.current;
      if (pages.has(page)) return;
      pages.add(page);
      const input = { session, held: work.id, offset: page * pageSize };
      client
        .call(
          'sessions.heldPaths',
          { ...input, ...(wanted === '' ? {} : { search: wanted }) },
          { signal: abort.signal },
        )
        .then(
          ({ paths, entries, total, laptop, container }) => {
            if (abort.signal.aborted) return;
            const rows = entries ?? paths.map((path) => ({ path }));
            setFound((before) => ({
              total,
              pages: new Map(before.pages).set(page, rows),
              laptop: laptop ?? before.laptop,
              container: container ?? before.container,
            }));
          },
          (error: unknown) => {
            if (abort.signal.aborted) return;
            if (!(error instanceof RemoteError)) throw error;
            pages.delete(page);
            const { value } = error;
            setFound((before) => ({ ...before, error: value }));
          },
        );
    },
    [client, session, work.id, wanted],
  );
  useEffect(() => {
    if (!open) return undefined;
    const abort = new AbortController();
    asked.current = { pages: new Set(), abort };
    const timer = setTimeout(() => ask(0), wanted === '' ? 0 : typingMs);
    setFound((before) => ({
      ...before,
      error: undefined,
      pages: new Map(),
      ...(wanted === '' ? { total: work.count } : {}),
    }));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [open, ask, wanted, work.count]);
  const onRange = useCallback(
    (first: number, end: number) => {
      if (!open || end === 0) return;
      for (let page = Math.floor(first / pageSize); page <= Math.floor((end - 1) / pageSize); page++)
        if (page > 0) ask(page);
    },
    [open, ask],
  );
  const at = (index: number): HeldRow | undefined => {
    const known = found.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
    if (known !== undefined) return known;
    const path = wanted === '' ? work.paths[index] : undefined;
    return path === undefined ? { path: '…' } : { path };
  };
  return { ...found, at, onRange };
}
