import { Check, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import { navigate } from '../../app/route.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Text } from '../../ui/text.tsx';
import { FolderDialog } from '../folders/folder-dialog.tsx';
import { withFolder } from './recent-folders.ts';
import styles from './welcome.module.css';

/** The user's own project: its folder is offered by the next start form. */
export function FolderCard({ cluster }: { readonly cluster: Cluster | undefined }) {
  const settings = useRemote('settings.current', {}).value;
  const saving = useAction();
  const [choosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const recent = settings?.recentFolders ?? [];
  const choose = (path: string) => {
    setChoosing(false);
    const recentFolders = withFolder(recent, path);
    void saving.run('settings.update', { patch: { recentFolders } }).then((stored) => {
      if (stored !== undefined) setChosen(path);
    });
  };
  return (
    <section className={styles['way']} aria-labelledby="open-a-folder">
      <h2 id="open-a-folder">
        <FolderOpen aria-hidden />
        Open a Project Folder
      </h2>
      {chosen === undefined ? (
        <p className={styles['text']}>
          The source of something that runs in a cluster already. You choose the workload next; nothing is
          changed or uploaded before you press Start there.
        </p>
      ) : (
        <>
          <div className={styles['folder']}>
            <Check aria-hidden />
            <span className={styles['path']}>
              <Text value={chosen} />
            </span>
          </div>
          <p className={styles['text']} role="status">
            {cluster === undefined
              ? 'The start form will offer this folder. Now choose a cluster, or try the sandbox.'
              : 'The start form will offer this folder. Now choose the workload that runs it.'}
          </p>
        </>
      )}
      <div className={styles['actions']}>
        {chosen !== undefined && cluster !== undefined ? (
          <Button
            kind="primary"
            onClick={() =>
              navigate({ page: 'workloads', cluster: cluster.id, namespaces: [cluster.namespace] })
            }
          >
            Choose the Workload
          </Button>
        ) : null}
        <Button onClick={() => setChoosing(true)} pending={saving.pending}>
          {chosen === undefined ? 'Open a Folder…' : 'Another Folder…'}
        </Button>
      </div>
      {saving.error === undefined ? null : <ErrorBox error={saving.error} />}
      <FolderDialog open={choosing} start={recent[0]} onChoose={choose} onClose={() => setChoosing(false)} />
    </section>
  );
}
