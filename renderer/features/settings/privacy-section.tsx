import { useRemote } from '../../ipc/client.ts';
import { Card } from '../../ui/card.tsx';
import { Text } from '../../ui/text.tsx';
import styles from './settings.module.css';

/** What is stored, where, and what leaves the machine. */
export function PrivacySection() {
  const info = useRemote('app.info', {}).value;
  const folder = info?.stateFolder;
  const stored: readonly (readonly [what: string, sentence: string])[] = [
    ['settings.json', 'What you chose here, and the folders that you used last.'],
    [
      'sessions',
      'A note of each session that runs or did not end: what it changed in which cluster, so that it can be put back. It goes when the session has ended.',
    ],
    [
      'sync',
      'For each pair of folders what both sides had last, and the trash: files that a sync replaced or deleted, for 7 days.',
    ],
  ];
  return (
    <>
      <Card title="What Leaves This Machine">
        <dl className={styles['facts']}>
          <div>
            <dt>No telemetry</dt>
            <dd>
              Slipway counts, reports and sends nothing, and asks no server for updates. It speaks with the
              clusters of your kubeconfig files alone: with the one that is shown, and with no other before
              you open it.
            </dd>
          </div>
          <div>
            <dt>What others in the cluster see</dt>
            <dd>
              A session writes your user name as the cluster knows it, this machine’s name and the time of the
              start on its Lease and its dev Deployment, so that others know whom to ask. They go when it
              ends.
            </dd>
          </div>
        </dl>
      </Card>
      <Card title="What Is Stored Here">
        <dl className={styles['facts']}>
          {folder === undefined ? null : (
            <div>
              <dt>Slipway’s own folder</dt>
              <dd className={styles['path']}>
                <Text value={folder} />
              </dd>
            </div>
          )}
          {stored.map(([what, sentence]) => (
            <div key={what}>
              <dt className={styles['path']}>{what}</dt>
              <dd>{sentence}</dd>
            </div>
          ))}
          <div>
            <dt>Never stored</dt>
            <dd>
              Tokens, keys and what sign-in programs answer stay in memory. Kubeconfig files are read and
              never written. Deleting Slipway’s folder forgets everything; end your sessions first.
            </dd>
          </div>
        </dl>
      </Card>
    </>
  );
}
