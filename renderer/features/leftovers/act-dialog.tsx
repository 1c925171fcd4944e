import { Fragment, useEffect, useMemo } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import type { Task } from '../../../contract/app.ts';
import type { LeftoverPreview, LeftoverResult } from '../../../contract/leftovers.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { counted, type LeftoverAction, type LeftoverRow } from './leftover-model.ts';
import styles from './leftovers.module.css';

/** Names in a sentence. */
const mostNamed = 5;

export type Preview = OutputOf<'leftovers.preview'>;

interface ActDialogProps {
  readonly cluster: string;
  readonly action: LeftoverAction;
  readonly rows: readonly LeftoverRow[];
  /** Chosen, and not possible: they stay as they are. */
  readonly unable: readonly LeftoverRow[];
  readonly preview: Preview | undefined;
  readonly onPreview: (preview: Preview) => void;
  readonly onDone: (results: readonly LeftoverResult[]) => void;
  readonly onClose: () => void;
}

/** Every step before the first one is done, as main would do it now; Cancel is the default. */
export function ActDialog({
  cluster,
  action,
  rows,
  unable,
  preview,
  onPreview,
  onDone,
  onClose,
}: ActDialogProps) {
  const looking = useAction();
  const acting = useAction();
  const cancelling = useAction();
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const { run: look } = looking;
  useEffect(() => {
    let gone = false;
    void look('leftovers.preview', { cluster, keys, action }).then((found) => {
      if (found !== undefined && !gone) onPreview(found);
    });
    return () => {
      gone = true;
    };
    // Looked at once, for what was chosen when it was opened.
  }, [look, cluster, action, keys]);
  const running = useRemote('app.tasks', acting.pending ? {} : undefined).value?.items ?? {};
  const task = Object.values(running).findLast(
    ({ state, route }) => state === 'running' && route === `#/leftovers/${cluster}`,
  );
  // The results say what was not begun, so the dialog stays until they are there.
  const stop = () => {
    if (task !== undefined) void cancelling.run('app.cancelTask', { id: task.id });
  };
  const verb = action === 'restore' ? 'Restore' : 'Remove';
  const label = `${verb} ${counted(rows.length).replace('l', 'L')}`;
  const type = preview?.confirmation?.type;
  const names = new Map(rows.map((row) => [row.key, row]));
  return (
    <ConfirmDialog
      open
      title={`${verb} ${counted(rows.length)}?`}
      action={label}
      danger={action === 'remove'}
      type={type}
      pending={acting.pending || (preview === undefined && looking.error === undefined)}
      error={acting.error ?? looking.error}
      onClose={acting.pending ? stop : onClose}
      onConfirm={(typed) => {
        if (preview === undefined) return;
        const confirmation = type === undefined ? undefined : typed;
        void acting.run('leftovers.act', { cluster, keys, action, confirmation }).then((done) => {
          if (done !== undefined) onDone(done.items);
        });
      }}
    >
      <p>
        {action === 'restore'
          ? 'Each workload gets back what its session changed, and what the session added goes away.'
          : 'Only what the sessions added goes away. The workloads stay as they are now, and what they had before is forgotten.'}
      </p>
      {preview === undefined && looking.error === undefined ? (
        <Skeleton label="Looking what would be done" />
      ) : null}
      {preview === undefined ? null : (
        <ul className={styles['items']} tabIndex={0} aria-label="What would be done">
          {preview.items.map((item) => (
            <PreviewItem key={item.key} item={item} row={names.get(item.key)} />
          ))}
        </ul>
      )}
      {unable.length === 0 ? null : (
        <p className={styles['why']}>
          {unable.length} of those chosen {unable.length === 1 ? 'stays as it is' : 'stay as they are'}:{' '}
          {unable.slice(0, mostNamed).map(({ key, namespace, target }, index) => (
            <Fragment key={key}>
              {index === 0 ? '' : ', '}
              <Text value={`${namespace} / ${target}`} most={80} />
            </Fragment>
          ))}
          {unable.length > mostNamed ? ', …' : '.'}
        </p>
      )}
      {preview?.confirmation === undefined ? null : <Text value={preview.confirmation.why} />}
      {acting.pending ? <Progress task={task} /> : null}
    </ConfirmDialog>
  );
}

function PreviewItem({
  item,
  row,
}: {
  readonly item: LeftoverPreview;
  readonly row: LeftoverRow | undefined;
}) {
  return (
    <li className={styles['item']}>
      <div className={styles['name']}>
        <Text value={row === undefined ? item.key : `${row.namespace} / ${row.target}`} most={120} />
      </div>
      {item.error === undefined ? (
        <ol className={styles['steps']}>
          {item.steps.map((step, index) => (
            <li key={index}>
              <Text value={step} />
            </li>
          ))}
        </ol>
      ) : (
        <p className={styles['why']}>
          <Text value={`${item.error.message} ${item.error.cause}`} />
        </p>
      )}
    </li>
  );
}

/** How far it is, from the task that main makes of it: it goes on also when the window is closed. */
function Progress({ task }: { readonly task: Task | undefined }) {
  return (
    <div className={styles['progress']} role="status">
      <ProgressBar value={task?.progress} label="How far it is" />
      <span className={styles['muted']}>
        <Text value={task?.detail ?? 'Begins'} />
      </span>
    </div>
  );
}
