import { memo, useState } from 'react';
import type { SessionDetail } from '../../../contract/sessions.ts';
import { navigate, type RouteOf, type SyncPart } from '../../app/route.ts';
import { isOver } from '../../app/session-look.ts';
import { useStale } from '../../ui/blocked.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { shownActivity, type ActivityLog } from './activity-log.ts';
import { ActivityCells } from './activity-rows.tsx';
import { ConflictList } from './conflict-list.tsx';
import { FileTree } from './file-tree.tsx';
import { HeldCallouts } from './held-callouts.tsx';
import { LinkStrip } from './link-strip.tsx';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { TrashView } from './trash-view.tsx';
import { useLogVersion } from './use-activity.ts';
import { VirtualRows } from './virtual-rows.tsx';

interface SyncTabProps {
  readonly detail: SessionDetail;
  readonly log: ActivityLog;
  readonly route: RouteOf<'session'>;
}

/** Everything about files: what travels, how each one is, what waits, and old versions. */
export function SyncTab({ detail, log, route }: SyncTabProps) {
  const { id, stage, held, conflicts } = detail.summary;
  // What is shown first stays, also when the last hold is answered meanwhile.
  const [first] = useState<SyncPart>(held > 0 ? 'held' : 'activity');
  const part = route.part ?? first;
  const go = (next: SyncPart) => navigate({ page: 'session', session: id, tab: 'sync', part: next });
  const count = (label: string, number: number) =>
    number === 0 ? label : `${label} (${number.toLocaleString('en')})`;
  const over = isOver(stage);
  return (
    <div className={styles['fill']}>
      <div className={styles['toolbar']}>
        <SegmentedControl<SyncPart>
          label="Part"
          hideLabel
          value={part}
          options={[
            { value: 'activity', label: 'Activity' },
            { value: 'files', label: 'Files' },
            { value: 'held', label: count('Held', held) },
            { value: 'conflicts', label: count('Conflicts', conflicts) },
            { value: 'trash', label: 'Trash' },
          ]}
          onChange={go}
        />
      </div>
      {part === 'activity' && !over ? <LinkStrip session={id} /> : null}
      {part === 'activity' ? <ActivityView log={log} over={over} /> : null}
      {part === 'files' ? <FileTree detail={detail} /> : null}
      {part === 'held' ? <HeldView detail={detail} /> : null}
      {part === 'conflicts' ? <ConflictList detail={detail} shown={route.search} /> : null}
      {part === 'trash' ? (
        <TrashView key={route.search} session={id} over={over} path={route.search} />
      ) : null}
    </div>
  );
}

const ActivityView = memo(function ActivityView({
  log,
  over,
}: {
  readonly log: ActivityLog;
  readonly over: boolean;
}) {
  useLogVersion(log);
  const stale = useStale();
  const [search, setSearch] = useState('');
  /** Number of the first file that is not shown, while paused. */
  const [until, setUntil] = useState<number>();
  const paused = until !== undefined;
  const rows = shownActivity(log.items, { before: until ?? Infinity, search });
  const news = paused ? log.end - until : 0;
  return (
    <>
      <div className={styles['toolbar']}>
        <div className={styles['search']}>
          <TextField
            label="Filter by path"
            hideLabel
            type="search"
            placeholder="Filter by path"
            value={search}
            onChange={setSearch}
          />
        </div>
        <Button kind="quiet" onClick={() => setUntil(paused ? undefined : log.end)}>
          {paused ? 'Go On' : 'Pause'}
        </Button>
        <span className={styles['faint']} role="status">
          {paused
            ? `Paused; ${news.toLocaleString('en')} more since`
            : over
              ? ''
              : stale
                ? 'Not connected'
                : 'Live'}
        </span>
        <span className={styles['grow']} />
        {log.skipped === 0 ? null : (
          <span className={styles['faint']}>
            {log.skipped.toLocaleString('en')} left out: too many at once
          </span>
        )}
      </div>
      {rows.count === 0 ? (
        <EmptyState
          title={search === '' ? 'No file has travelled yet' : 'No path matches'}
          text={
            search === ''
              ? 'Both sides are watched. Save a file here or in the container, and it shows up.'
              : 'Only files of this page’s time are searched.'
          }
        />
      ) : (
        <VirtualRows
          label="Files that travelled"
          count={rows.count}
          rowAt={rows.at}
          className={rowStyles['travel']}
          // Who scrolls down reads: the list must not run away.
          onTopChange={(atTop) => setUntil((before) => (atTop ? undefined : (before ?? log.end)))}
        >
          {(item) => <ActivityCells item={item} place="list" />}
        </VirtualRows>
      )}
    </>
  );
});

function HeldView({ detail }: { readonly detail: SessionDetail }) {
  const { id, held } = detail.summary;
  const shown = Object.keys(detail.held).length;
  if (shown === 0) {
    return (
      <EmptyState
        title="Nothing is held"
        text="Mass deletions, first syncs that would overwrite, files that this machine would run and conflicts wait here until you choose."
      />
    );
  }
  return (
    <div style={{ overflow: 'auto', padding: 'var(--space-4) var(--space-5)' }}>
      <div className={styles['stack']}>
        <HeldCallouts session={id} held={detail.held} total={held} all />
        {held > shown ? (
          <p className={styles['muted']}>
            <Text value={`${(held - shown).toLocaleString('en')} more follow when these are answered.`} />
          </p>
        ) : null}
      </div>
    </div>
  );
}
