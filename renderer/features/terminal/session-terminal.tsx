import { useEffect, useRef } from 'react';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TerminalView } from './terminal-view.tsx';

/** Until the screen knows its own size. */
const firstSize = { columns: 80, rows: 24 };

/** The shell of a session: the one that is there, or a new one. */
export function SessionTerminal({ session }: { readonly session: string }) {
  const { value: terminals, error } = useRemote('terminals.list', {});
  const action = useAction();
  const asked = useRef<string | undefined>(undefined);
  const found =
    terminals === undefined
      ? undefined
      : Object.values(terminals.items).find((terminal) => terminal.session === session);
  const missing = terminals !== undefined && found === undefined;
  const open = (): void => {
    void action.run('terminals.open', { target: { kind: 'session', session }, size: firstSize });
  };
  useEffect(() => {
    if (!missing || asked.current === session) return;
    // Once: a shell that was closed by its user is not opened again by itself.
    asked.current = session;
    open();
  }, [missing, session]);

  if (found !== undefined) return <TerminalView terminal={found.id} focused />;
  if (error !== undefined) return <ErrorBox error={error} />;
  if (action.error !== undefined) return <ErrorBox error={action.error} onRetry={open} />;
  if (action.pending || asked.current !== session) return <Skeleton label="Opening a shell" />;
  return (
    <EmptyState
      title="No shell is open"
      text="The shell of this session was closed. A new one starts in the same container."
      action={
        <Button kind="primary" onClick={open}>
          Open Shell
        </Button>
      }
    />
  );
}
