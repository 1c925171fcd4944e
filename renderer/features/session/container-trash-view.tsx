import { useEffect, useState } from 'react';
import type { ContainerTrash, ContainerTrashEntry } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { typingMs } from './path-search.tsx';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { countText } from './session-text.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** What the container keeps of old versions until Stop. What it holds was this machine's, or is in its trash. */
export function ContainerTrashView({
  session,
  search,
}: {
  readonly session: string;
  readonly search: string;
}) {
  const { run, error } = useAction();
  const [found, setFound] = useState<ContainerTrash>();
  const [asked, setAsked] = useState<ContainerTrashEntry>();
  const [brought, setBrought] = useState('');
  const bringing = useAction();
  const bring = async ({ pair, id }: ContainerTrashEntry) => {
    const done = await bringing.run('sessions.bringHere', { session, pair, id });
    if (done === undefined) return;
    setBrought(done.path);
    setAsked(undefined);
  };
  useEffect(() => {
    let current = true;
    const timer = setTimeout(
      () =>
        void run('sessions.containerTrash', { session, search }).then((list) => {
          if (current && list !== undefined) setFound(list);
        }),
      found === undefined ? 0 : typingMs,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
    // Loading follows what was typed alone.
  }, [run, session, search]);
  if (found === undefined)
    return error === undefined ? (
      <div style={{ padding: '0 var(--space-5)' }}>
        <Skeleton />
      </div>
    ) : (
      <ErrorBox error={error} />
    );
  return (
    <>
      <div className={styles['toolbar']}>
        <p className={styles['muted']} role="status">
          {countText(found.count, 'old version')} (<Bytes value={found.bytes} />) in the container, until
          Stop. The sync replaced them by versions of this machine; what lost a conflict or a first sync was
          brought to this machine’s trash before.
          {brought === '' ? null : (
            <>
              {' '}
              Brought here: <Text value={brought} mono />
            </>
          )}
        </p>
      </div>
      {found.entries.length === 0 ? (
        <EmptyState
          title={search === '' ? 'The container’s trash is empty' : 'No path matches'}
          text="What the sync replaces or deletes in the container is kept there until Stop."
        />
      ) : (
        <VirtualRows
          label="Old versions in the container"
          count={found.entries.length}
          rowAt={(index) => found.entries[index]}
          className={rowStyles['containerTrashRow']}
        >
          {(entry) => {
            const { path, size, trashedAt } = entry;
            return (
              <>
                <span className={rowStyles['path']} title={visibleLine(path)}>
                  <Text value={path} />
                </span>
                <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
                  <Bytes value={size} />
                </span>
                <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
                  <Time iso={trashedAt} style="clock" />
                </span>
                <span className={styles['end']}>
                  <Button small onClick={() => setAsked(entry)}>
                    Bring Here…
                  </Button>
                </span>
              </>
            );
          }}
        </VirtualRows>
      )}
      {asked === undefined ? null : (
        <ConfirmDialog
          open
          title="Bring this version here?"
          list={[asked.path]}
          action="Bring Here"
          pending={bringing.pending}
          error={bringing.error}
          onConfirm={() => void bring(asked)}
          onClose={() => {
            bringing.clear();
            setAsked(undefined);
          }}
        >
          <p>
            The version that the container put away at <Time iso={asked.trashedAt} style="full" /> (
            <Bytes value={asked.size} />) comes to its place on this machine, and from there to the container.
            What is there now goes to the trash.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
