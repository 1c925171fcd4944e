import { useEffect, useRef, useState } from 'react';
import type { HeldWork } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Text } from '../../ui/text.tsx';
import { countText, titleOfHeld, type HeldChoiceText } from './session-text.ts';
import styles from './session.module.css';

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
  const list = useHeldPaths(session, work, open);
  const apply = async () => {
    if (choice === undefined) return;
    const done = await answer.run('sessions.answerHeld', { session, held: work.id, choice: choice.choice });
    if (done !== undefined) onClose();
  };
  const left = list.total - list.paths.length;
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
      <ul className={styles['paths']} tabIndex={0} aria-label="Paths">
        {list.paths.map((path) => (
          <li key={path}>
            <Text value={path} />
          </li>
        ))}
      </ul>
      {left > 0 ? (
        <Button small kind="quiet" pending={list.pending} onClick={list.more}>
          {`Show More (${left.toLocaleString('en')} Are Left)`}
        </Button>
      ) : null}
      {answer.error === undefined ? null : <ErrorBox error={answer.error} />}
    </Dialog>
  );
}

/** The paths page by page, from main; those that came with the state until then. */
function useHeldPaths(session: string, work: HeldWork, open: boolean) {
  const action = useAction();
  const { run } = action;
  const [paths, setPaths] = useState<readonly string[]>(work.paths);
  const [total, setTotal] = useState(work.count);
  useEffect(() => {
    setPaths(work.paths);
    setTotal(work.count);
  }, [work, open]);
  const more = () => {
    void run('sessions.heldPaths', { session, held: work.id, offset: paths.length }).then((page) => {
      if (page === undefined) return;
      setPaths((before) => [...before, ...page.paths]);
      setTotal(page.total);
    });
  };
  return { paths, total, more, pending: action.pending };
}
