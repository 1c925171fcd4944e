import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ErrorValue } from '../../contract/errors.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './dialog.module.css';
import { ErrorBox } from './error-box.tsx';
import { TextField } from './text-field.tsx';
import { Text } from './text.tsx';

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  /** Everything that it would touch; shown before anything happens. */
  readonly list?: readonly string[] | undefined;
  readonly children?: ReactNode;
  /** What the button says, like "Remove 3 Leftovers". */
  readonly action: string;
  readonly danger?: boolean | undefined;
  /** What has to be typed before the button works. */
  readonly type?: string | undefined;
  /** Gets what was typed, for main to check again. */
  readonly onConfirm: (typed: string) => void;
  readonly onClose: () => void;
  readonly pending?: boolean | undefined;
  readonly error?: ErrorValue | undefined;
}

/** Asks before something that is hard to undo. Cancel is the default: it has the focus, and Escape is the same. */
export function ConfirmDialog({
  open,
  title,
  list,
  children,
  action,
  danger = false,
  type,
  onConfirm,
  onClose,
  pending = false,
  error,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState('');
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open) setTyped('');
  }, [open]);
  const missing = type !== undefined && typed.trim() !== type;
  return (
    <Dialog
      open={open}
      title={title}
      onClose={onClose}
      initialFocus={cancel}
      actions={
        <>
          <Button local onClick={onClose} ref={cancel}>
            Cancel
          </Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            pending={pending}
            disabledReason={missing ? `Type ${type} above first.` : undefined}
            onClick={() => onConfirm(typed.trim())}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      {list === undefined || list.length === 0 ? null : (
        <ul className={styles['list']} tabIndex={0} aria-label="What it concerns">
          {list.map((line, index) => (
            <li key={index}>
              <Text value={line} />
            </li>
          ))}
        </ul>
      )}
      {type === undefined ? null : (
        <TextField
          label={`Type ${type} to go on`}
          value={typed}
          onChange={setTyped}
          mono
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !missing && !pending) onConfirm(typed.trim());
          }}
        />
      )}
      {error === undefined ? null : <ErrorBox error={error} />}
    </Dialog>
  );
}
