import { useMemo, useState } from 'react';
import type { ConflictNote, HeldWork, SessionDetail } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import styles from './session.module.css';
import { VirtualRows } from './virtual-rows.tsx';

/** What both sides changed: how it was settled, or that it waits; and one answer for all that wait. */
export function ConflictList({ detail }: { readonly detail: SessionDetail }) {
  const rows = useMemo(() => Object.entries(detail.conflicts).reverse(), [detail.conflicts]);
  const open = useMemo(
    () => Object.values(detail.held).filter(({ kind }) => kind === 'conflict'),
    [detail.held],
  );
  const waiting = useMemo(() => new Set(open.flatMap(({ paths }) => paths)), [open]);
  const wordsOf = ({ path, winner }: ConflictNote) =>
    winner === 'none' && waiting.has(path) ? 'Both versions stay until you choose' : winners[winner];
  if (rows.length === 0) {
    return (
      <EmptyState
        title="No conflicts"
        text="When both sides change the same file, what became of it stands here; the version that lost is in the trash."
      />
    );
  }
  return (
    <>
      {open.length === 0 ? null : <AnswerAll session={detail.summary.id} open={open} />}
      <VirtualRows
        label="Conflicts"
        count={rows.length}
        rowAt={(index) => rows[index]}
        rowKey={([key]) => key}
        className={styles['conflictRow']}
      >
        {([, note]) => (
          <>
            <StatusDot tone={note.winner === 'none' ? 'warn' : 'neutral'} label={wordsOf(note)} />
            <span className={styles['path']} title={visibleLine(note.path)}>
              <Text value={note.path} />
            </span>
            <span className={styles['one']} title={visibleLine(note.message)}>
              {wordsOf(note)}
            </span>
            <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
              <Time iso={note.at} style="clock" />
            </span>
          </>
        )}
      </VirtualRows>
    </>
  );
}

const winners = {
  none: 'Both versions stayed',
  local: 'This machine’s version won; the other one is in the trash',
  remote: 'The container’s version won; this machine’s is in the trash',
} as const;

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
