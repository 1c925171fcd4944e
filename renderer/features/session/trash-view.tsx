import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import type { TrashEntry } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ContainerTrashView } from './container-trash-view.tsx';
import { longestSearch, PathSearch, typingMs } from './path-search.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { countText } from './session-text.ts';
import { versionKey, type Restoration } from './trash-selection.ts';
import { VirtualRows } from './virtual-rows.tsx';

type Restored = OutputOf<'sessions.restoreVersions'>;

/** Versions that the sync replaced or deleted, with search and the way back. */
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
  const [side, setSide] = useState<'laptop' | 'container'>('laptop');
  if (over) {
    return (
      <EmptyState
        title="The folder is closed"
        text="Old versions stay on this machine for seven days; the next session with this folder shows them again."
      />
    );
  }
  const field = (
    <div className={styles['toolbar']}>
      <div className={styles['search']}>
        <PathSearch value={search} onChange={setSearch} />
      </div>
      <SegmentedControl
        label="Trash of"
        hideLabel
        value={side}
        options={[
          { value: 'laptop', label: 'This Machine' },
          { value: 'container', label: 'Container' },
        ]}
        onChange={setSide}
      />
    </div>
  );
  return (
    <>
      {field}
      {side === 'laptop' ? (
        <LaptopTrash session={session} search={search} />
      ) : (
        <ContainerTrashView session={session} search={search} />
      )}
    </>
  );
}

function LaptopTrash({ session, search }: { readonly session: string; readonly search: string }) {
  const [list, setList] = useState<OutputOf<'sessions.trash'>>();
  const [chosen, setChosen] = useState<ReadonlyMap<string, TrashEntry>>(new Map());
  const [asked, setAsked] = useState<Restoration>();
  const [restored, setRestored] = useState<Restored>();
  const { run, error } = useAction();
  const latest = useRef(0);
  const load = (text: string) => {
    const turn = ++latest.current;
    void run('sessions.trash', { session, search: text }).then((found) => {
      if (turn === latest.current && found !== undefined) setList(found);
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => load(search), list === undefined ? 0 : typingMs);
    return () => clearTimeout(timer);
    // Loading follows what was typed alone.
  }, [search, session]);
  const toggle = (entry: TrashEntry, on: boolean) =>
    setChosen((before) => {
      const after = new Map(before);
      if (on) after.set(versionKey(entry), entry);
      else after.delete(versionKey(entry));
      return after;
    });
  const chooseAll = (on: boolean) =>
    setChosen(new Map(on ? (list?.entries ?? []).map((entry) => [versionKey(entry), entry]) : []));
  const done = (found: Restored) => {
    setRestored(found);
    setAsked(undefined);
    setChosen(new Map());
    load(search);
  };
  const shown = list?.entries.length ?? 0;
  return (
    <>
      <div className={styles['toolbar']}>
        <Button kind="quiet" onClick={() => load(search)}>
          Look Again
        </Button>
        <Button kind="quiet" disabled={shown === 0} onClick={() => chooseAll(chosen.size < shown)}>
          {chosen.size > 0 && chosen.size >= shown
            ? 'Choose None'
            : `Choose All ${shown.toLocaleString('en')}`}
        </Button>
        <Button
          disabledReason={chosen.size === 0 ? 'Choose versions first.' : undefined}
          onClick={() => setAsked({ kind: 'versions', entries: [...chosen.values()] })}
        >
          {chosen.size === 0 ? 'Restore Chosen…' : `Restore ${chosen.size.toLocaleString('en')}…`}
        </Button>
        <span className={styles['grow']} role="status">
          {restored === undefined ? null : <RestoredWords restored={restored} />}
        </span>
        {list === undefined || list.total <= list.entries.length ? null : (
          <span className={styles['faint']}>
            The latest {list.entries.length} of {list.total.toLocaleString('en')}
          </span>
        )}
      </div>
      {error === undefined ? null : <ErrorBox error={error} onRetry={() => load(search)} />}
      {restored === undefined || restored.failed.length === 0 ? null : <Failures failed={restored.failed} />}
      {list === undefined ? (
        error === undefined ? (
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
          rowKey={versionKey}
          className={rowStyles['trashRow']}
        >
          {(entry) => (
            <TrashCells
              entry={entry}
              chosen={chosen.has(versionKey(entry))}
              onChoose={(on) => toggle(entry, on)}
              onRestore={setAsked}
            />
          )}
        </VirtualRows>
      )}
      {asked === undefined ? null : (
        <RestoreDialog
          session={session}
          restoration={asked}
          listed={list?.entries ?? []}
          onDone={done}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

function TrashCells({
  entry,
  chosen,
  onChoose,
  onRestore,
}: {
  readonly entry: TrashEntry;
  readonly chosen: boolean;
  readonly onChoose: (on: boolean) => void;
  readonly onRestore: (restoration: Restoration) => void;
}) {
  const { path, size, trashedAt, batch, batchCount } = entry;
  return (
    <>
      <input
        type="checkbox"
        className={rowStyles['choose']}
        checked={chosen}
        aria-label={`Choose ${visibleLine(path)}`}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <span className={rowStyles['path']} title={visibleLine(path)}>
        <Text value={path} />
      </span>
      <span className={`${styles['faint'] ?? ''} ${rowStyles['reasonCell'] ?? ''}`}>{reasonOf(entry)}</span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        <Bytes value={size} />
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        <Time iso={trashedAt} style="clock" />
      </span>
      <span className={styles['end']}>
        {batch === undefined || batchCount === undefined ? null : (
          <Button
            kind="quiet"
            small
            onClick={() => onRestore({ kind: 'batch', entry, batch, count: batchCount })}
          >
            {`All ${batchCount.toLocaleString('en')}…`}
          </Button>
        )}
      </span>
      <span className={styles['end']}>
        <Button small onClick={() => onRestore({ kind: 'versions', entries: [entry] })}>
          Restore…
        </Button>
      </span>
    </>
  );
}

function RestoredWords({ restored: { restored, failed } }: { readonly restored: Restored }) {
  const [first] = restored;
  if (first === undefined) return <>Nothing was restored.</>;
  return (
    <>
      Restored {restored.length === 1 ? <Text value={first} mono /> : countText(restored.length, 'version')}
      {failed.length === 0 ? '' : `, ${failed.length.toLocaleString('en')} not`}; what was there before is in
      the trash.
    </>
  );
}

/** Failures that are named. */
const shownFailures = 5;

function Failures({ failed }: { readonly failed: Restored['failed'] }) {
  return (
    <ul className={styles['failures']} aria-label="Not restored">
      {failed.slice(0, shownFailures).map(({ path, message }, index) => (
        <li key={index}>
          <Text value={path} mono /> <Text value={message} />
        </li>
      ))}
      {failed.length > shownFailures ? (
        <li>{`${(failed.length - shownFailures).toLocaleString('en')} more.`}</li>
      ) : null}
    </ul>
  );
}

function reasonOf({ reason, origin }: TrashEntry): string {
  const what =
    { deleted: 'Deleted', overwritten: 'Replaced', conflict: 'Lost a conflict', 'first-sync': 'First sync' }[
      reason
    ] ?? reason;
  return origin === 'remote' ? `${what} · container` : what;
}
