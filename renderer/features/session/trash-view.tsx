import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import type { TrashEntry } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { VirtualRows } from './virtual-rows.tsx';

/** Characters, as main takes them. */
const longestSearch = 256;
/** After the last key, before the list is asked for anew. */
const typingMs = 200;

/** Versions that the sync replaced or deleted on this machine, with search and the way back. */
export function TrashView({
  session,
  over,
  path = '',
}: {
  readonly session: string;
  readonly over: boolean;
  /** What is looked for at first. */
  readonly path?: string | undefined;
}) {
  const [search, setSearch] = useState(path.slice(0, longestSearch));
  const [list, setList] = useState<OutputOf<'sessions.trash'>>();
  const [asked, setAsked] = useState<TrashEntry>();
  const [restored, setRestored] = useState('');
  const loading = useAction();
  const restoring = useAction();
  const latest = useRef(0);
  const { run } = loading;
  const load = (text: string) => {
    const turn = ++latest.current;
    void run('sessions.trash', { session, search: text }).then((found) => {
      if (turn === latest.current && found !== undefined) setList(found);
    });
  };
  useEffect(() => {
    if (over) return undefined;
    const timer = setTimeout(() => load(search), list === undefined ? 0 : typingMs);
    return () => clearTimeout(timer);
    // Loading follows what was typed alone.
  }, [search, session, over]);
  if (over) {
    return (
      <EmptyState
        title="The folder is closed"
        text="Old versions stay on this machine for seven days; the next session with this folder shows them again."
      />
    );
  }
  const restore = async (entry: TrashEntry) => {
    const done = await restoring.run('sessions.restoreTrash', { session, pair: entry.pair, id: entry.id });
    if (done === undefined) return;
    setRestored(done.path);
    setAsked(undefined);
    load(search);
  };
  return (
    <>
      <div className={styles['toolbar']}>
        <div className={styles['search']}>
          <TextField
            label="Search in paths"
            hideLabel
            type="search"
            placeholder="Search in paths"
            value={search}
            maxLength={longestSearch}
            onChange={setSearch}
          />
        </div>
        <Button kind="quiet" onClick={() => load(search)}>
          Look Again
        </Button>
        <span className={styles['grow']} role="status">
          {restored === '' ? null : (
            <>
              Restored <Text value={restored} mono />; the version before it is in the trash.
            </>
          )}
        </span>
        {list === undefined || list.total <= list.entries.length ? null : (
          <span className={styles['faint']}>
            The latest {list.entries.length} of {list.total.toLocaleString('en')}
          </span>
        )}
      </div>
      {loading.error === undefined ? null : <ErrorBox error={loading.error} onRetry={() => load(search)} />}
      {list === undefined ? (
        loading.error === undefined ? (
          <div style={{ padding: '0 var(--space-5)' }}>
            <Skeleton />
          </div>
        ) : null
      ) : list.entries.length === 0 ? (
        <EmptyState
          title={search === '' ? 'The trash is empty' : 'No path matches'}
          text="What the sync replaces or deletes on this machine is kept here for seven days."
        />
      ) : (
        <VirtualRows
          label="Old versions"
          count={list.entries.length}
          rowAt={(index) => list.entries[index]}
          rowKey={({ pair, id }) => `${pair}.${id}`}
          className={rowStyles['trashRow']}
        >
          {(entry) => (
            <>
              <span className={rowStyles['path']} title={visibleLine(entry.path)}>
                <Text value={entry.path} />
              </span>
              <span className={`${styles['faint'] ?? ''} ${rowStyles['reasonCell'] ?? ''}`}>
                {reasonOf(entry)}
              </span>
              <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
                <Bytes value={entry.size} />
              </span>
              <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
                <Time iso={entry.trashedAt} style="clock" />
              </span>
              <span className={styles['end']}>
                <Button small onClick={() => setAsked(entry)}>
                  Restore…
                </Button>
              </span>
            </>
          )}
        </VirtualRows>
      )}
      {asked === undefined ? null : (
        <ConfirmDialog
          open
          title="Restore this version?"
          list={[asked.path]}
          action="Restore"
          pending={restoring.pending}
          error={restoring.error}
          onConfirm={() => void restore(asked)}
          onClose={() => {
            restoring.clear();
            setAsked(undefined);
          }}
        >
          <p>
            The version of <Time iso={asked.trashedAt} style="full" /> (<Bytes value={asked.size} />
            {asked.origin === 'remote' ? ', from the container' : ''}) comes back to its place and goes to the
            container. The version that is there now goes to the trash.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function reasonOf({ reason, origin }: TrashEntry): string {
  const what =
    { deleted: 'Deleted', overwritten: 'Replaced', conflict: 'Lost a conflict', 'first-sync': 'First sync' }[
      reason
    ] ?? reason;
  return origin === 'remote' ? `${what} · container` : what;
}
