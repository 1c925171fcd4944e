import { useState, type ReactNode } from 'react';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { withDetached } from './dock-memory.ts';
import { hashOfTab } from './dock-tab-list.ts';
import { useDockMemory } from './use-dock.ts';

/** Of the window that a browser opens; the desktop has the same in main. */
const windowFeatures = 'popup,width=880,height=560';

/** Moves a tab of the dock into a window of its own; the dialog is to be drawn by the caller. */
export function useDetach(): {
  readonly detach: (tab: string) => void;
  /** Whether a tab can be shown alone. */
  readonly isDetachable: (tab: string) => boolean;
  readonly dialog: ReactNode;
} {
  const { value: info } = useRemote('app.info', {});
  const [memory, update] = useDockMemory();
  const action = useAction();
  const [blocked, setBlocked] = useState<string | undefined>(undefined);
  const hide = (tab: string): void => update((before) => withDetached(before, tab));
  const detach = (tab: string): void => {
    const hash = hashOfTab(tab, memory);
    if (hash === undefined) return;
    if (info?.host === 'desktop')
      void action.run('app.openWindow', { hash }).then((opened) => {
        if (opened !== undefined) hide(tab);
      });
    // The new window gets a copy of this one's session storage, and with it the token, because it is opened by us:
    // with `noopener` it would not. It cuts the connection itself, see ipc/start.ts.
    else if (window.open(addressOf(hash), '_blank', windowFeatures) === null) setBlocked(tab);
    else hide(tab);
  };
  return {
    detach,
    isDetachable: (tab) => hashOfTab(tab, memory) !== undefined,
    dialog: (
      <>
        <BlockedDialog
          hash={blocked === undefined ? undefined : hashOfTab(blocked, memory)}
          onOpen={() => {
            if (blocked !== undefined) hide(blocked);
            // After the browser has followed the link, which goes with the dialog.
            setTimeout(() => setBlocked(undefined));
          }}
          onClose={() => setBlocked(undefined)}
        />
        <Dialog
          open={action.error !== undefined}
          title="No window was opened"
          onClose={action.clear}
          actions={
            <Button local onClick={action.clear}>
              Close
            </Button>
          }
        >
          {action.error === undefined ? null : <ErrorBox error={action.error} />}
        </Dialog>
      </>
    ),
  };
}

function BlockedDialog({
  hash,
  onOpen,
  onClose,
}: {
  readonly hash: string | undefined;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open={hash !== undefined}
      title="The browser opened no window"
      onClose={onClose}
      actions={
        <Button local onClick={onClose}>
          Cancel
        </Button>
      }
    >
      <p>
        It blocks windows that pages open. Open this one by hand, and allow windows for this page in the
        browser’s address bar to have it done the next time.
      </p>
      <p>
        {/* As an opener, for the same reason as above. */}
        <a
          href={hash === undefined ? undefined : addressOf(hash)}
          target="_blank"
          rel="opener"
          onClick={onOpen}
        >
          Open in a Tab of the Browser
        </a>
      </p>
    </Dialog>
  );
}

function addressOf(hash: string): string {
  return location.pathname + location.search + hash;
}
