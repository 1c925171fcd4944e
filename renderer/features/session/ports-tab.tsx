import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { SessionDetail, SessionPort } from '../../../contract/sessions.ts';
import { isOver } from '../../app/session-look.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { useStale } from '../../ui/blocked.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { lastKnown, toneOfService, wordOfService } from './session-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';

/** Ports of the container on this machine: whether they answer, and their addresses to open or copy. */
export function PortsTab({ detail }: { readonly detail: SessionDetail }) {
  const ports = Object.values(detail.ports);
  const [asked, setAsked] = useState<string>();
  if (ports.length === 0) {
    return isOver(detail.summary.stage) ? (
      <EmptyState title="The ports are free again" text="They were open while the session ran." />
    ) : (
      <EmptyState
        title="No port is forwarded"
        text="Ports are chosen in the form that starts a session. Stop this one and start it with a port, or forward one from the command line."
      />
    );
  }
  return (
    <div className={styles['stack']}>
      <Card flush title="Forwarded Ports" aside={ports.length}>
        <ul role="list" style={{ listStyle: 'none' }}>
          {ports.map((port) => (
            <PortRow key={port.local} port={port} onOpen={setAsked} />
          ))}
        </ul>
      </Card>
      {asked === undefined ? null : <OpenAddress url={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function PortRow({ port, onOpen }: { readonly port: SessionPort; readonly onOpen: (url: string) => void }) {
  const url = `http://localhost:${port.local}`;
  const stale = useStale();
  return (
    <li className={`${rowStyles['row'] ?? ''} ${rowStyles['portRow'] ?? ''}`}>
      <StatusDot tone={toneOfService(port.state)} label={wordOfService(port.state)} />
      <span className={styles['address']}>
        localhost:{port.local} → {port.remote}
      </span>
      <span className={styles['muted']}>
        <Text value={lastKnown(port.message, stale)} />
        {port.addresses.length === 0 ? null : (
          <>
            {' · bound to '}
            <Text value={port.addresses.join(', ')} />
          </>
        )}
      </span>
      <span className={styles['buttons']}>
        <CopyButton text={url} label={`Copy ${url}`} />
        <Button small icon={<ExternalLink />} onClick={() => onOpen(url)}>
          Open…
        </Button>
      </span>
    </li>
  );
}

/** What answers there comes from the container: a browser is opened only when asked for. */
function OpenAddress({ url, onClose }: { readonly url: string; readonly onClose: () => void }) {
  const info = useRemote('app.info', {});
  const action = useAction();
  const open = async () => {
    if (info.value?.host !== 'desktop') window.open(url, '_blank', 'noopener,noreferrer');
    else if ((await action.run('app.openExternal', { url })) === undefined) return;
    onClose();
  };
  return (
    <ConfirmDialog
      open
      title="Open in the browser?"
      list={[url]}
      action="Open"
      pending={action.pending}
      error={action.error}
      onConfirm={() => void open()}
      onClose={onClose}
    >
      <p>The page comes from the program in the dev pod and runs in your own browser.</p>
    </ConfirmDialog>
  );
}
