import { useState, type ReactNode } from 'react';
import type { CallInputOf } from '../../../contract/api.ts';
import type { ErrorValue } from '../../../contract/errors.ts';
import { useAction } from '../../ipc/client.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { useDock } from './use-dock.ts';

type Target = CallInputOf<'terminals.open'>['target'];

/** Until the screen knows its own size. */
const firstSize = { columns: 80, rows: 24 };

/**
 * Opens a shell and shows it in the dock. Where the context asks for it, the pod's name is to be typed first; the
 * dialog is to be drawn by the caller.
 */
export function useOpenTerminal(): { readonly open: (target: Target) => void; readonly dialog: ReactNode } {
  const action = useAction();
  const dock = useDock();
  const [asking, setAsking] = useState<Target | undefined>(undefined);
  const run = async (target: Target): Promise<void> => {
    const opened = await action.run('terminals.open', { target, size: firstSize });
    if (opened === undefined) return;
    setAsking(undefined);
    dock.showTerminal(opened.terminal);
  };
  const open = (target: Target): void => {
    setAsking(target);
    void run(target);
  };
  const close = (): void => {
    setAsking(undefined);
    action.clear();
  };
  return { open, dialog: <OpenDialog target={asking} action={action} onClose={close} onConfirm={run} /> };
}

function OpenDialog({
  target,
  action,
  onClose,
  onConfirm,
}: {
  readonly target: Target | undefined;
  readonly action: { readonly pending: boolean; readonly error: ErrorValue | undefined };
  readonly onClose: () => void;
  readonly onConfirm: (target: Target) => Promise<void>;
}) {
  const { error, pending } = action;
  const [asked, setAsked] = useState(false);
  const needed = error?.code === 'cluster.confirmation-needed';
  // The question stays while its answer is under way.
  if (needed && !asked) setAsked(true);
  if (target === undefined && asked) setAsked(false);
  if (target?.kind === 'pod' && (needed || asked)) {
    return (
      <ConfirmDialog
        open
        title="Open a shell in a protected context?"
        type={target.pod}
        action="Open Shell"
        pending={pending}
        error={needed ? undefined : error}
        onConfirm={(typed) => void onConfirm({ ...target, confirmation: typed })}
        onClose={onClose}
      >
        <p>Whatever is typed in the shell changes what runs there. Slipway cannot hold it back.</p>
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      open={error !== undefined && target !== undefined}
      title="No shell was opened"
      onClose={onClose}
      actions={
        <Button local onClick={onClose}>
          Close
        </Button>
      }
    >
      {error === undefined ? null : <ErrorBox error={error} />}
    </Dialog>
  );
}
