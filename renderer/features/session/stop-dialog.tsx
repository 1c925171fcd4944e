import { useEffect, useState } from 'react';
import type { ContainerTrash, SessionDetail } from '../../../contract/sessions.ts';
import { useAction } from '../../ipc/client.ts';
import { Bytes } from '../../ui/bytes.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countText, stopPreview } from './session-text.ts';

interface StopDialogProps {
  readonly detail: SessionDetail;
  readonly keep: boolean;
  readonly onClose: () => void;
}

/** What a stop does, before it does it. */
export function StopDialog({ detail, keep, onClose }: StopDialogProps) {
  const action = useAction();
  const { id, target, held, stage } = detail.summary;
  const inContainer = useContainerTrash(id, stage === 'running' && !keep);
  const stop = async () => {
    const done = await action.run('sessions.stop', { session: id, ...(keep ? { keep } : {}) });
    if (done !== undefined) onClose();
  };
  const preview = stopPreview(keep ? { ...detail, changes: {} } : detail);
  return (
    <ConfirmDialog
      open
      danger
      title={keep ? `Stop and keep ${detail.devName}?` : `Stop and restore ${target}?`}
      list={
        keep ? [...preview, `${detail.devName} and the changes of ${target} stay in the cluster.`] : preview
      }
      action={
        keep ? 'Stop and Keep Dev Pod' : stage === 'starting' ? 'Break Off and Restore' : 'Stop and Restore'
      }
      pending={action.pending}
      error={action.error}
      onConfirm={() => void stop()}
      onClose={onClose}
    >
      {held === 0 ? null : (
        <p>
          {held === 1 ? 'One thing is' : `${held.toLocaleString('en')} things are`} still held: both sides
          keep what they have, and changes that wait are not made.
        </p>
      )}
      {keep || inContainer === undefined || inContainer.count === 0 ? null : (
        <p>
          {countText(inContainer.count, 'old version')} (<Bytes value={inContainer.bytes} />) in the
          container’s trash {inContainer.count === 1 ? 'goes' : 'go'} with it; what lost a conflict or a first
          sync is in the trash of this machine.
        </p>
      )}
      {keep ? <p>It shows up in Leftovers, where it can be restored at any time.</p> : null}
    </ConfirmDialog>
  );
}

/** What goes with the container; undefined until it is known, and where nobody can tell, which keeps nobody from stopping. */
function useContainerTrash(session: string, wanted: boolean): ContainerTrash | undefined {
  const { run } = useAction();
  const [found, setFound] = useState<ContainerTrash>();
  useEffect(() => {
    let current = true;
    if (wanted)
      void run('sessions.containerTrash', { session, search: '' }).then((trash) => {
        if (current) setFound(trash);
      });
    return () => {
      current = false;
    };
  }, [run, session, wanted]);
  return found;
}
