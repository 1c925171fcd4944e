import { useClient, useRemote } from '../../ipc/client.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { linkTarget } from './link-target.ts';
import { linesToConfirm } from './paste-text.ts';
import type { ShownShell } from './use-screen.ts';

/** Asks before a link that a program printed is opened, and shows where it really leads. */
export function LinkDialog({ shell }: { readonly shell: ShownShell }) {
  const client = useClient();
  const { value: app } = useRemote('app.info', {});
  const target = shell.chosen === undefined ? undefined : linkTarget(shell.chosen);
  const close = (): void => shell.setChosen(undefined);
  const open = (): void => {
    close();
    if (target === undefined) return;
    if (app?.host === 'desktop')
      void client.call('app.openExternal', { url: target.url }).catch(() => undefined);
    else window.open(target.url, '_blank', 'noopener,noreferrer');
  };
  return (
    <ConfirmDialog
      open={shell.chosen !== undefined}
      title={target === undefined ? 'This link is not opened' : `Open a link to ${target.host}?`}
      action="Open Link"
      onConfirm={open}
      onClose={close}
    >
      {target === undefined ? (
        <p>Only addresses of the web can be opened from a terminal. It leads to:</p>
      ) : (
        <p>A program in the container printed this link. It opens in your browser.</p>
      )}
      <CodeBlock label="Address" text={target?.url ?? shell.chosen ?? ''} />
      {target?.warning === undefined ? null : <p role="note">{target.warning}</p>}
    </ConfirmDialog>
  );
}

/** Asks before several lines are pasted to a program that would run each of them at once. */
export function PasteDialog({
  lines,
  onPaste,
  onClose,
}: {
  readonly lines: readonly string[] | undefined;
  readonly onPaste: () => void;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={lines !== undefined}
      title="Paste several lines?"
      list={lines}
      action="Paste"
      onConfirm={onPaste}
      onClose={onClose}
    >
      <p>What runs in this terminal takes each line as typed, so a shell runs them one after the other.</p>
    </ConfirmDialog>
  );
}

/** Pastes what needs no question, and says what does. */
export function linesOf(shell: ShownShell): readonly string[] | undefined {
  if (shell.pasted === undefined) return undefined;
  return linesToConfirm(shell.pasted, shell.screen.current?.bracketedPaste === true);
}
