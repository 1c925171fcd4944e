import { useRef, useState } from 'react';
import type { HeldWork } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Text } from '../../ui/text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { entryText, heldSums, type HeldRow } from './held-sums.ts';
import { PathSearch } from './path-search.tsx';
import rowStyles from './rows.module.css';
import { countText, titleOfHeld, type HeldChoiceText } from './session-text.ts';
import styles from './session.module.css';
import { useHeldPaths } from './use-held-paths.ts';
import { VirtualRows } from './virtual-rows.tsx';

interface HeldDialogProps {
  readonly session: string;
  readonly work: HeldWork;
  /** What would be done; without it the dialog only shows the list. */
  readonly choice: HeldChoiceText | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** All paths of held work, and the question whether to go on with them. Cancel is the default. */
export function HeldDialog({ session, work, choice, open, onClose }: HeldDialogProps) {
  const answer = useAction();
  const cancel = useRef<HTMLButtonElement>(null);
  const [search, setSearch] = useState('');
  const list = useHeldPaths(session, work, open, search);
  const apply = async () => {
    if (choice === undefined) return;
    const done = await answer.run('sessions.answerHeld', { session, held: work.id, choice: choice.choice });
    if (done !== undefined) onClose();
  };
  return (
    <Dialog
      open={open}
      wide
      title={choice === undefined ? titleOfHeld(work) : `${choice.label}: ${countText(work.count, 'path')}?`}
      onClose={onClose}
      initialFocus={cancel}
      actions={
        <>
          <Button local ref={cancel} onClick={onClose}>
            {choice === undefined ? 'Close' : 'Cancel'}
          </Button>
          {choice === undefined ? null : (
            <Button
              kind={choice.danger ? 'danger' : 'primary'}
              pending={answer.pending}
              onClick={() => void apply()}
            >
              {choice.label}
            </Button>
          )}
        </>
      }
    >
      <p>
        <Text value={`${work.reason}.`} />
      </p>
      {choice === undefined ? null : <p>{choice.effect}</p>}
      <ul className={styles['lines']}>
        {heldSums(work, list).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <PathSearch value={search} onChange={setSearch} />
      {list.total === 0 && search !== '' ? (
        <p className={styles['placeholder']}>No path matches.</p>
      ) : (
        <div className={styles['heldPaths']}>
          <VirtualRows
            label="Paths"
            count={list.total}
            rowAt={list.at}
            onRange={list.onRange}
            className={rowStyles['heldRow']}
          >
            {(row) => <HeldCells row={row} />}
          </VirtualRows>
        </div>
      )}
      {list.error === undefined ? null : <ErrorBox error={list.error} />}
      {answer.error === undefined ? null : <ErrorBox error={answer.error} />}
    </Dialog>
  );
}

/** Heads its columns by where the entry is: a side without it has none. */
function HeldCells({ row }: { readonly row: HeldRow }) {
  const { path, laptop, container } = row;
  return (
    <>
      <span className={rowStyles['path']} title={visibleLine(path)}>
        <Text value={path} />
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>{entryText('here', laptop)}</span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        {entryText('container', container)}
      </span>
    </>
  );
}
