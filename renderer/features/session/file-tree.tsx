import { ChevronRight, File, Folder, Link2, RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { SessionDetail, TreeEntry } from '../../../contract/sessions.ts';
import { isOver } from '../../app/session-look.ts';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { RowWindow, type RowWindowHandle } from './row-window.tsx';
import { fileStates } from './session-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { childPath, entryOf, pageSize, treeRows, type TreeFolder, type TreeRow } from './tree-rows.ts';
import { useTree } from './use-tree.ts';

/** How long after something travelled the states in sight are looked at again, in milliseconds. */
const settleMs = 700;

/** The folder of this machine with how each file stands; folders of 100,000 files are fine. */
export function FileTree({ detail }: { readonly detail: SessionDetail }) {
  const { id, stage } = detail.summary;
  if (isOver(stage))
    return (
      <EmptyState
        title="The folder is closed"
        text="The states of its files are known while a session runs."
      />
    );
  if (detail.pairs.length === 0)
    return <EmptyState title="Not open yet" text="The files show up as soon as the folder is open." />;
  return <OpenTree session={id} detail={detail} />;
}

function OpenTree({ session, detail }: { readonly session: string; readonly detail: SessionDetail }) {
  const { folders, want, refresh } = useTree(session, 0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const list = useRef<RowWindowHandle>(null);
  const rows = useMemo(() => treeRows(folders, open), [folders, open]);
  const [range, setRange] = useState({ first: 0, end: 0 });
  const onRange = useCallback((first: number, end: number) => setRange({ first, end }), []);
  const pages = useMemo(() => pagesOf(rows.slice(range.first, range.end)), [rows, range]);
  useEffect(() => {
    for (const { folder, page } of pages) want(folder, page);
  }, [pages, want]);
  const latest = useRef(pages);
  latest.current = pages;
  const revision = `${detail.up.files} ${detail.down.files} ${detail.summary.held} ${detail.summary.health}`;
  useEffect(() => {
    const timer = setTimeout(() => refresh(latest.current), settleMs);
    return () => clearTimeout(timer);
  }, [revision, refresh]);

  const toggle = (path: string, wanted?: boolean) => {
    setOpen((before) => {
      const after = new Set(before);
      if (wanted ?? !before.has(path)) after.add(path);
      else after.delete(path);
      return after;
    });
    want(path, 0);
  };
  const moveTo = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    setActive(to);
    list.current?.focusRow(to);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const row = rows[index];
    const entry = row === undefined ? undefined : entryOf(folders.get(row.folder), row.index);
    const path = row === undefined || entry === undefined ? undefined : childPath(row.folder, entry.name);
    const isFolder = entry?.kind === 'directory';
    const page = Math.max(1, (list.current?.fitting ?? 2) - 2);
    if (event.key === 'ArrowDown') moveTo(index + 1);
    else if (event.key === 'ArrowUp') moveTo(index - 1);
    else if (event.key === 'PageDown') moveTo(index + page);
    else if (event.key === 'PageUp') moveTo(index - page);
    else if (event.key === 'Home') moveTo(0);
    else if (event.key === 'End') moveTo(rows.length - 1);
    else if (event.key === 'ArrowRight' && isFolder && path !== undefined) {
      if (open.has(path)) moveTo(index + 1);
      else toggle(path, true);
    } else if (event.key === 'ArrowLeft' && path !== undefined) {
      if (isFolder && open.has(path)) toggle(path, false);
      else moveTo(parentRow(rows, index));
    } else if ((event.key === 'Enter' || event.key === ' ') && isFolder && path !== undefined) toggle(path);
    else return;
    event.preventDefault();
  };

  const root = folders.get('');
  const [pair] = detail.pairs;
  return (
    <>
      <div className={styles['toolbar']}>
        <span className={`${styles['code'] ?? ''} ${styles['grow'] ?? ''}`}>
          <Text value={pair?.local ?? ''} /> ↔ <Text value={pair?.remote ?? ''} />
        </span>
        <Button kind="quiet" small icon={<RefreshCw />} onClick={() => refresh(pages)}>
          Look Again
        </Button>
      </div>
      {root === undefined ? (
        <div style={{ padding: '0 var(--space-5)' }}>
          <Skeleton />
        </div>
      ) : root.error !== undefined ? (
        <EmptyState title="The folder cannot be shown" text={<Text value={root.error} />} />
      ) : rows.length === 0 ? (
        <EmptyState
          title="The folder is empty"
          text="Files that you make here or in the container show up."
        />
      ) : (
        <RowWindow
          ref={list}
          count={rows.length}
          onRange={onRange}
          attributes={{ role: 'tree', 'aria-label': 'Files' }}
          listAttributes={{ role: 'presentation' }}
          row={(index, top) => {
            const row = rows[index];
            if (row === undefined) return null;
            const entry = entryOf(folders.get(row.folder), row.index);
            const path = entry === undefined ? undefined : childPath(row.folder, entry.name);
            return (
              <TreeRowView
                key={`${row.folder}\0${row.index}`}
                row={row}
                entry={entry}
                index={index}
                start={top}
                size={folders.get(row.folder)?.total ?? 0}
                open={path !== undefined && open.has(path)}
                below={path === undefined ? undefined : folders.get(path)}
                active={index === Math.min(active, rows.length - 1)}
                onFocus={() => setActive(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
                onToggle={toggle}
              />
            );
          }}
        />
      )}
    </>
  );
}

interface TreeRowViewProps {
  readonly row: TreeRow;
  readonly entry: TreeEntry | undefined;
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly open: boolean;
  readonly below: TreeFolder | undefined;
  readonly active: boolean;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onToggle: (path: string) => void;
}

function TreeRowView({
  row,
  entry,
  index,
  start,
  size,
  open,
  below,
  active,
  onFocus,
  onKeyDown,
  onToggle,
}: TreeRowViewProps) {
  const isFolder = entry?.kind === 'directory';
  const state = entry === undefined ? undefined : fileStates[entry.state];
  const trouble = open ? below?.error : undefined;
  return (
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={size}
      aria-posinset={row.index + 1}
      aria-expanded={isFolder ? open : undefined}
      data-row={index}
      tabIndex={active ? 0 : -1}
      className={rowStyles['treeRow']}
      style={{ transform: `translateY(${start}px)`, ['--depth' as string]: row.depth }}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={() => {
        if (isFolder) onToggle(childPath(row.folder, entry.name));
      }}
    >
      <span className={rowStyles['treeName']}>
        <span className={rowStyles['twist']} data-open={open || undefined} aria-hidden>
          {isFolder ? <ChevronRight /> : null}
        </span>
        {iconOf(entry)}
        <span
          className={`${rowStyles['path'] ?? ''} ${entry?.missing === true ? (rowStyles['gone'] ?? '') : ''}`}
        >
          {entry === undefined ? '…' : <Text value={entry.name} />}
        </span>
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        {entry?.size === undefined ? null : <Bytes value={entry.size} />}
      </span>
      <span
        className={rowStyles['state']}
        title={entry?.reason === undefined ? undefined : visibleLine(entry.reason)}
      >
        {trouble !== undefined ? (
          <span className={styles['one']} title={visibleLine(trouble)}>
            Cannot be read
          </span>
        ) : state === undefined ? null : (
          <>
            <StatusDot tone={state.tone} label="" />
            {entry?.missing === true && entry.state === 'same' ? 'Not here' : state.label}
          </>
        )}
      </span>
    </div>
  );
}

function iconOf(entry: TreeEntry | undefined) {
  if (entry?.kind === 'directory') return <Folder aria-hidden />;
  if (entry?.kind === 'symlink') return <Link2 aria-hidden />;
  return <File aria-hidden />;
}

function pagesOf(rows: readonly TreeRow[]) {
  const pages = new Map<string, { readonly folder: string; readonly page: number }>();
  for (const { folder, index } of rows) {
    const page = Math.floor(index / pageSize);
    pages.set(`${page} ${folder}`, { folder, page });
  }
  return [...pages.values()];
}

/** The row of the folder that holds this one. */
function parentRow(rows: readonly TreeRow[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  for (let above = index - 1; above >= 0; above--) if ((rows[above]?.depth ?? 0) < depth) return above;
  return index;
}
