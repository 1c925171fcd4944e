import { useState } from 'react';
import type { KubeconfigFile } from '../../../contract/clusters.ts';
import type { Settings } from '../../../contract/settings.ts';
import { useRemote } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { addedFile, fileOrigin, withoutFile } from './kubeconfig-files.ts';
import type { Saver } from './use-saver.ts';
import styles from './settings.module.css';

/** Where clusters come from: the files that kubectl would take, and further ones. */
export function KubeconfigSection({
  settings,
  saver,
}: {
  readonly settings: Settings;
  readonly saver: Saver;
}) {
  const { value, error } = useRemote('clusters.list', {});
  const home = useRemote('app.info', {}).value?.homeFolder ?? '';
  const [path, setPath] = useState('');
  const [problem, setProblem] = useState<string>();
  const add = () => {
    const added = addedFile(path, home, settings.kubeconfigFiles);
    if (added.kind === 'problem') return setProblem(added.problem);
    void saver.save('Kubeconfig files', { kubeconfigFiles: added.files }).then((stored) => {
      if (stored) setPath('');
    });
  };
  return (
    <>
      <p className={styles['intro']}>
        Slipway reads kubeconfig files and never writes them: the current context of kubectl stays what it is.
        A change of a file shows at once.
      </p>
      {error === undefined ? null : <ErrorBox error={error} />}
      {value?.error === undefined ? null : <ErrorBox error={value.error} />}
      {value === undefined && error === undefined ? <Skeleton /> : null}
      {value?.notes?.map((note, index) => (
        <p key={index} className={styles['problem']}>
          <Text value={note} />
        </p>
      ))}
      {value === undefined ? null : (
        <Card title="Files" flush>
          <ul className={styles['rows']}>
            {value.files.map((file) => (
              <FileRow
                key={`${file.origin} ${file.path}`}
                file={file}
                onRemove={() => {
                  const kubeconfigFiles = withoutFile(settings.kubeconfigFiles, file.path);
                  void saver.save('Kubeconfig files', { kubeconfigFiles });
                }}
              />
            ))}
          </ul>
          <div className={styles['add']}>
            <TextField
              label="Add a file"
              mono
              value={path}
              placeholder="~/.kube/another.yaml"
              error={problem}
              hint="It is read beside the others; its contexts get entries of their own in the rail."
              onChange={(text) => {
                setPath(text);
                setProblem(undefined);
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') add();
              }}
            />
            <Button onClick={add}>Add</Button>
          </div>
        </Card>
      )}
    </>
  );
}

function FileRow({ file, onRemove }: { readonly file: KubeconfigFile; readonly onRemove: () => void }) {
  const contexts = `${file.contexts} ${file.contexts === 1 ? 'context' : 'contexts'}`;
  return (
    <li className={styles['file']}>
      <span className={styles['path']}>
        <Text value={file.path} />
      </span>
      <span className={styles['muted']}>{fileOrigin(file.origin)}</span>
      <span>{file.exists ? contexts : <Badge tone="warn">Not There</Badge>}</span>
      {file.origin === 'settings' ? (
        <Button small onClick={onRemove}>
          Remove
        </Button>
      ) : (
        <span />
      )}
    </li>
  );
}
