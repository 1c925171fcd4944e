import { useEffect } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import type { Terminal } from '../../../contract/terminals.ts';
import { useRemote } from '../../ipc/client.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FindBar } from './find-bar.tsx';
import { LinkDialog, linesOf, PasteDialog } from './terminal-dialogs.tsx';
import { TerminalHeader } from './terminal-header.tsx';
import { TerminalNotice } from './terminal-notice.tsx';
import styles from './terminal-view.module.css';
import { useScreen } from './use-screen.ts';

interface TerminalViewProps {
  /** Its id in `terminals.list`. */
  readonly terminal: string;
  /** Takes the focus when it appears. */
  readonly focused?: boolean | undefined;
}

/** A shell that lives in main, on a screen. What was printed before it came is shown first. */
export function TerminalView({ terminal, focused = false }: TerminalViewProps) {
  const { value: terminals } = useRemote('terminals.list', {});
  const { value: clusters } = useRemote('clusters.list', {});
  const known = terminals?.items[terminal];
  if (terminals === undefined) return <div className={styles['view']} aria-busy />;
  if (known === undefined)
    return <EmptyState title="This shell is closed" text="It was closed here or in another window." />;
  return <Shell key={terminal} terminal={known} cluster={clusters?.items[known.cluster]} focused={focused} />;
}

function Shell({
  terminal,
  cluster,
  focused,
}: {
  readonly terminal: Terminal;
  readonly cluster: Cluster | undefined;
  readonly focused: boolean;
}) {
  const { value: settings } = useRemote('settings.current', {});
  const shell = useScreen(terminal.id, settings);
  const { box, screen, hovered, finding, pasted, setPasted, setFinding } = shell;
  const ready = settings !== undefined;
  const lines = linesOf(shell);
  useEffect(() => {
    if (focused && ready) screen.current?.focus();
  }, [focused, ready, screen]);
  useEffect(() => {
    if (pasted === undefined || lines !== undefined) return;
    screen.current?.paste(pasted);
    setPasted(undefined);
  }, [pasted, lines, screen, setPasted]);
  return (
    <section
      className={styles['view']}
      aria-label={`Terminal in ${terminal.pod}`}
      data-guarded={cluster !== undefined && cluster.guard !== 'none' ? cluster.guard : undefined}
    >
      <TerminalHeader terminal={terminal} cluster={cluster} onFind={() => setFinding(true)} />
      <div className={styles['body']}>
        <div className={styles['screen']} ref={box} data-terminal={terminal.id} />
        {finding ? (
          <FindBar screen={screen} matches={shell.matches} onClose={() => setFinding(false)} />
        ) : null}
        {hovered === undefined ? null : (
          <p className={styles['hovered']}>
            <bdi dir="ltr">{hovered}</bdi> Ctrl+Click opens it
          </p>
        )}
      </div>
      <TerminalNotice terminal={terminal} shell={shell} />
      <LinkDialog shell={shell} />
      <PasteDialog
        lines={lines}
        onPaste={() => {
          if (pasted !== undefined) screen.current?.paste(pasted);
          setPasted(undefined);
        }}
        onClose={() => setPasted(undefined)}
      />
    </section>
  );
}
