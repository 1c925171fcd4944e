import { useMemo, useState } from 'react';
import type { HeldWork, SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ConflictView } from './conflict-view.tsx';
import { conflictRows, type ConflictRow } from './conflicts.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { VirtualRows } from './virtual-rows.tsx';

/** What both sides changed: how it was settled, or that it waits; and one answer for all that wait. */
export function ConflictList({
  detail,
  shown,
}: {
  readonly detail: SessionDetail;
  /** Number of the conflict whose versions are compared. */
  readonly shown?: string | undefined;
}) {
  const { conflicts, held, summary } = detail;
  const rows = useMemo(() => conflictRows({ conflicts, held, summary }), [conflicts, held, summary]);
  const open = useMemo(() => Object.values(held).filter(({ kind }) => kind === 'conflict'), [held]);
  const chosen = shown === undefined ? undefined : rows.find(({ key }) => key === shown);
  if (chosen !== undefined) return <ConflictView key={chosen.key} detail={detail} row={chosen} />;
  if (rows.length === 0) {
    return (
      <EmptyState
        title="No conflicts"
        text="When both sides change the same file, what became of it stands here; a file that lost is in the trash."
      />
    );
  }
  return (
    <>
      {open.length === 0 ? null : <AnswerAll session={summary.id} open={open} />}
      <VirtualRows
        label="Conflicts"
        count={rows.length}
        rowAt={(index) => rows[index]}
        rowKey={({ key }) => key}
        className={rowStyles['conflictRow']}
      >
        {(row) => <ConflictCells row={row} session={summary.id} />}
      </VirtualRows>
    </>
  );
}

function ConflictCells({ row, session }: { readonly row: ConflictRow; readonly session: string }) {
  const { note, words, waits, trashed } = row;
  const { path, message, at } = note;
  return (
    <>
      <StatusDot tone={waits ? 'warn' : 'neutral'} label={waits ? 'Waits' : 'Settled'} past />
      <span className={rowStyles['path']} title={visibleLine(path)}>
        <Text value={path} />
      </span>
      <span className={styles['one']} title={visibleLine(message)}>
        {words}
      </span>
      <span>
        <a
          href={hrefOf({ page: 'session', session, tab: 'sync', part: 'conflicts', search: row.key })}
          aria-label={`Compare: ${visibleLine(path)}`}
        >
          Compare
        </a>
      </span>
      <span>
        {trashed ? (
          <a
            href={hrefOf({ page: 'session', session, tab: 'sync', part: 'trash', search: path })}
            aria-label={`Show in Trash: ${visibleLine(path)}`}
          >
            Show in Trash
          </a>
        ) : waits ? (
          <a
            href={hrefOf({ page: 'session', session, tab: 'sync', part: 'held' })}
            aria-label={`Choose: ${visibleLine(path)}`}
          >
            Choose
          </a>
        ) : null}
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        <Time iso={at} style="clock" />
      </span>
    </>
  );
}

const answers = {
  local: { label: 'Keep All of This Machine', effect: 'The container’s versions go to the trash.' },
  remote: { label: 'Take All of the Container', effect: 'This machine’s versions go to the trash.' },
} as const;

function AnswerAll({ session, open }: { readonly session: string; readonly open: readonly HeldWork[] }) {
  const [choice, setChoice] = useState<keyof typeof answers>();
  const action = useAction();
  const answerAll = async (winner: keyof typeof answers) => {
    for (const { id } of open) {
      const done = await action.run('sessions.answerHeld', { session, held: id, choice: winner });
      if (done === undefined) return;
    }
    setChoice(undefined);
  };
  return (
    <div className={styles['toolbar']}>
      <span>
        {open.length === 1 ? 'One conflict waits' : `${open.length.toLocaleString('en')} conflicts wait`} for
        your choice:
      </span>
      {(['local', 'remote'] as const).map((winner) => (
        <Button key={winner} small onClick={() => setChoice(winner)}>
          {`${answers[winner].label}…`}
        </Button>
      ))}
      {choice === undefined ? null : (
        <ConfirmDialog
          open
          title={`${answers[choice].label}?`}
          list={open.flatMap(({ paths }) => paths)}
          action={answers[choice].label}
          pending={action.pending}
          error={action.error}
          onConfirm={() => void answerAll(choice)}
          onClose={() => {
            action.clear();
            setChoice(undefined);
          }}
        >
          <p>{answers[choice].effect}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
