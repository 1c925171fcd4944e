import { useEffect, useState } from 'react';
import type { OutputOf } from '../../../contract/api.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { type LeftoverRow } from './leftover-model.ts';
import styles from './leftovers.module.css';

/** What one is, who left it, and the commands that look at it. */
export function ExplainDialog({
  cluster,
  row,
  onClose,
}: {
  readonly cluster: string;
  readonly row: LeftoverRow;
  readonly onClose: () => void;
}) {
  const { run, error } = useAction();
  const [found, setFound] = useState<OutputOf<'leftovers.explain'>>();
  useEffect(() => {
    void run('leftovers.explain', { cluster, key: row.key }).then(setFound);
  }, [run, cluster, row.key]);
  return (
    <Dialog
      open
      wide
      title={<Text value={`${row.namespace} / ${row.target}`} />}
      onClose={onClose}
      actions={
        <Button local onClick={onClose}>
          Close
        </Button>
      }
    >
      {error === undefined ? null : <ErrorBox error={error} />}
      {found === undefined && error === undefined ? <Skeleton label="Looking what it is" /> : null}
      {found === undefined ? null : (
        <>
          <ul className={styles['lines']}>
            {found.lines.map((line, index) => (
              <li key={index}>
                <Sentence text={line} />
              </li>
            ))}
            {row.cannot === undefined ? null : (
              <li>
                <Text value={row.cannot} />
              </li>
            )}
          </ul>
          {found.commands.length === 0 ? null : (
            <CodeBlock label="commands that look at it" text={found.commands.join('\n')} />
          )}
        </>
      )}
    </Dialog>
  );
}
