import { useCallback, useEffect, useRef, useState } from 'react';
import { RemoteError, useClient } from '../../ipc/client.ts';
import { pageSize, type TreeFolder } from './tree-rows.ts';

/** Pages that are asked for at a time; the others wait. */
const mostUnderWay = 4;
/** Pages that are looked at anew when something travelled. */
const mostRefreshed = 40;

interface Page {
  readonly folder: string;
  readonly page: number;
}

export interface TreeData {
  readonly folders: ReadonlyMap<string, TreeFolder>;
  /** Asks for a page unless it is known or on its way. */
  want(folder: string, page: number): void;
  /** Looks at what is in sight anew. */
  refresh(pages: readonly Page[]): void;
}

/** The folders of a pair, asked for page by page as they come into sight. */
export function useTree(session: string, pair: number): TreeData {
  const client = useClient();
  const [folders, setFolders] = useState<ReadonlyMap<string, TreeFolder>>(new Map());
  const queue = useRef<Page[]>([]);
  const asked = useRef(new Set<string>());
  const running = useRef(0);
  const aborted = useRef(new AbortController());

  const next = useCallback(() => {
    const page = running.current >= mostUnderWay ? undefined : queue.current.shift();
    if (page === undefined) return;
    running.current++;
    const { signal } = aborted.current;
    const input = { session, pair, path: page.folder, offset: page.page * pageSize };
    client
      .call('sessions.tree', input, { signal })
      .then(
        ({ entries, total }) =>
          setFolders((before) => {
            const folder = before.get(page.folder);
            const pages = new Map(folder?.total === total ? folder.pages : []);
            return new Map(before).set(page.folder, { total, pages: pages.set(page.page, entries) });
          }),
        (error: unknown) => {
          asked.current.delete(keyOf(page));
          if (!(error instanceof RemoteError)) {
            if (!signal.aborted) throw error;
            return;
          }
          const { message, cause } = error.value;
          setFolders((before) => {
            const folder = before.get(page.folder) ?? { total: 0, pages: new Map() };
            return new Map(before).set(page.folder, { ...folder, error: `${message} ${cause}`.trim() });
          });
        },
      )
      .finally(() => {
        running.current--;
        next();
      });
  }, [client, session, pair]);

  const want = useCallback(
    (folder: string, page: number) => {
      const key = keyOf({ folder, page });
      if (asked.current.has(key)) return;
      asked.current.add(key);
      queue.current.push({ folder, page });
      next();
    },
    [next],
  );
  const refresh = useCallback(
    (pages: readonly Page[]) => {
      // What is out of sight is asked for again when it comes back.
      asked.current = new Set(pages.map(keyOf));
      queue.current = pages.slice(0, mostRefreshed);
      next();
      next();
    },
    [next],
  );
  useEffect(() => {
    aborted.current = new AbortController();
    const controller = aborted.current;
    want('', 0);
    return () => {
      controller.abort();
      asked.current.clear();
      queue.current = [];
    };
  }, [want]);
  return { folders, want, refresh };
}

function keyOf({ folder, page }: Page): string {
  return `${page} ${folder}`;
}
