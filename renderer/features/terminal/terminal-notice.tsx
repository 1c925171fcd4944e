import type { ReactNode } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { Terminal } from '../../../contract/terminals.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import styles from './terminal-view.module.css';
import type { ShownShell } from './use-screen.ts';

/** Says below a terminal that its shell is not there (any more), and offers what helps. */
export function TerminalNotice({
  terminal,
  shell,
}: {
  readonly terminal: Terminal;
  readonly shell: ShownShell;
}) {
  const action = useAction();
  const restart = (): void => {
    const size = shell.screen.current?.size ?? { columns: 80, rows: 24 };
    void action.run('terminals.restart', { terminal: terminal.id, size });
    shell.screen.current?.focus();
  };
  if (terminal.state === 'opening') return <Line text="Opening a shell…" />;
  if (terminal.state === 'ended') {
    return (
      <Line text={`The shell has ended with code ${terminal.code ?? 0}.`}>
        <Button small kind="primary" pending={action.pending} onClick={restart}>
          Restart
        </Button>
      </Line>
    );
  }
  if (terminal.state === 'lost') {
    return <Trouble error={terminal.error} label="Restart" pending={action.pending} onRetry={restart} />;
  }
  if (shell.detached !== undefined && shell.detached.code !== 'app.gone')
    return <Trouble error={shell.detached} label="Attach Again" pending={false} onRetry={shell.attach} />;
  return null;
}

function Line({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['notice']} role="status">
      <span>{text}</span>
      {children}
    </div>
  );
}

function Trouble({
  error,
  label,
  pending,
  onRetry,
}: {
  readonly error: ErrorValue | undefined;
  readonly label: string;
  readonly pending: boolean;
  readonly onRetry: () => void;
}) {
  return (
    <div className={styles['notice']}>
      {error === undefined ? <span>The connection to the shell is lost.</span> : <ErrorBox error={error} />}
      <Button small kind="primary" pending={pending} onClick={onRetry}>
        {label}
      </Button>
    </div>
  );
}
