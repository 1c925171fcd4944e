import { useState } from 'react';
import type { ClusterChange, SessionDetail } from '../../../contract/sessions.ts';
import { isOver } from '../../app/session-look.ts';
import { useAction } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Text } from '../../ui/text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';

/** Every object of the cluster that the session created or changed, and what puts it back. */
export function ChangesTab({ detail }: { readonly detail: SessionDetail }) {
  const [asked, setAsked] = useState<string>();
  const changes = Object.entries(detail.changes);
  if (changes.length === 0) {
    return (
      <EmptyState
        title="Nothing is changed in the cluster"
        text={
          isOver(detail.summary.stage)
            ? 'The session ended before it touched anything.'
            : 'What the session creates and changes shows up here as soon as it does.'
        }
      />
    );
  }
  const change = asked === undefined ? undefined : detail.changes[asked];
  return (
    <div className={styles['stack']}>
      <Card flush title="Changes in the Cluster" aside={<Text value={detail.summary.namespace} />}>
        <ul role="list" style={{ listStyle: 'none' }}>
          {changes.map(([key, each]) => (
            <ChangeRow key={key} change={each} onRestore={() => setAsked(key)} />
          ))}
        </ul>
      </Card>
      {asked === undefined || change === undefined ? null : (
        <RestoreDialog
          session={detail.summary.id}
          name={asked}
          change={change}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

const badges = {
  made: (
    <Badge past tone="info">
      Made
    </Badge>
  ),
  restored: (
    <Badge past tone="ok">
      Restored
    </Badge>
  ),
  kept: (
    <Badge past tone="warn">
      Kept
    </Badge>
  ),
} as const;

function ChangeRow({
  change,
  onRestore,
}: {
  readonly change: ClusterChange;
  readonly onRestore: () => void;
}) {
  const { object, what, from, to, state, note, restorable } = change;
  return (
    <li className={`${rowStyles['row'] ?? ''} ${rowStyles['changeRow'] ?? ''}`}>
      <span className={rowStyles['name']} title={visibleLine(object)}>
        <Text value={object} />
      </span>
      <span>
        <span className={rowStyles['fromTo']}>
          <span className={styles['muted']}>
            {what === 'created' ? 'Created:' : <Text value={`${what}:`} />}
          </span>
          {from === '' ? null : (
            <>
              <span className={rowStyles['from']}>
                <Text value={from} />
              </span>
              <span aria-label="to">→</span>
            </>
          )}
          <Text value={to} />
        </span>
        {note === undefined ? null : (
          <span className={styles['muted']}>
            <Text value={note} />
          </span>
        )}
      </span>
      <span>{badges[state]}</span>
      <span className={styles['end']}>
        {restorable ? (
          <Button small onClick={onRestore}>
            Restore…
          </Button>
        ) : null}
      </span>
    </li>
  );
}

function RestoreDialog({
  session,
  name,
  change,
  onClose,
}: {
  readonly session: string;
  readonly name: string;
  readonly change: ClusterChange;
  readonly onClose: () => void;
}) {
  const action = useAction();
  const restore = async () => {
    const done = await action.run('sessions.restoreChange', { session, change: name });
    if (done !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      open
      title={`Restore ${change.object} alone?`}
      list={[`${change.object}: ${change.what} goes from ${change.to} back to ${change.from}`]}
      action="Restore This One"
      pending={action.pending}
      error={action.error}
      onConfirm={() => void restore()}
      onClose={onClose}
    >
      <p>
        The session goes on. <Text value={change.note ?? ''} />
      </p>
    </ConfirmDialog>
  );
}
