import { useState } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import type { TrashEntry } from '../../../contract/sessions.ts';
import { FolderDialog } from '../folders/folder-dialog.tsx';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { countText } from './session-text.ts';
import { countOf, inOrder, overtaken, pathsOf, type Restoration } from './trash-selection.ts';

interface RestoreDialogProps {
  readonly session: string;
  readonly restoration: Restoration;
  /** What the list has, to name what is known of a batch. */
  readonly listed: readonly TrashEntry[];
  readonly onDone: (found: OutputOf<'sessions.restoreVersions'>) => void;
  readonly onClose: () => void;
}

/** Asks before old versions come back, into their places or below another folder. */
export function RestoreDialog({ session, restoration, listed, onDone, onClose }: RestoreDialogProps) {
  const action = useAction();
  const [to, setTo] = useState<string>();
  const [choosing, setChoosing] = useState(false);
  const count = countOf(restoration);
  const [only] = restoration.kind === 'versions' && count === 1 ? restoration.entries : [];
  const paths = pathsOf(restoration, listed);
  const twice = restoration.kind === 'versions' ? overtaken(restoration.entries) : [];
  const restore = async () => {
    const what =
      restoration.kind === 'batch'
        ? { batch: { pair: restoration.entry.pair, batch: restoration.batch } }
        : { versions: inOrder(restoration.entries).map(({ pair, id }) => ({ pair, id })) };
    const found = await action.run('sessions.restoreVersions', {
      session,
      ...what,
      ...(to === undefined ? {} : { to }),
    });
    if (found !== undefined) onDone(found);
  };
  if (choosing)
    return (
      <FolderDialog
        open
        start={to}
        onChoose={(path) => {
          setTo(path);
          setChoosing(false);
        }}
        onClose={() => setChoosing(false)}
      />
    );
  return (
    <ConfirmDialog
      open
      title={only === undefined ? `Restore ${countText(count, 'version')}?` : 'Restore this version?'}
      list={paths.length < count ? [...paths, `${(count - paths.length).toLocaleString('en')} more`] : paths}
      action="Restore"
      pending={action.pending}
      error={action.error}
      onConfirm={() => void restore()}
      onClose={onClose}
    >
      <p>
        {only === undefined ? (
          'They come '
        ) : (
          <>
            The version of <Time iso={only.trashedAt} style="full" /> (<Bytes value={only.size} />
            {only.origin === 'remote' ? ', from the container' : ''}) comes{' '}
          </>
        )}
        {to === undefined ? (
          'back into place and from there to the container. What is there now goes to the trash.'
        ) : (
          <>
            below <Text value={to} mono />; what is there now goes to the trash, and nothing is changed in the
            container unless that folder is in sync.
          </>
        )}
      </p>
      {twice.length === 0 ? null : (
        <p>
          Of {countText(twice.length, 'path')} several versions are chosen: the latest one stays, the others
          are in the trash again.
        </p>
      )}
      <p>
        <Button small local onClick={() => setChoosing(true)}>
          {to === undefined ? 'Restore Elsewhere…' : 'Choose Another Folder…'}
        </Button>{' '}
        {to === undefined ? null : (
          <Button small local onClick={() => setTo(undefined)}>
            Back Into Place
          </Button>
        )}
      </p>
    </ConfirmDialog>
  );
}
