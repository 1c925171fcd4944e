import { Server } from 'lucide-react';
import type { ClusterList } from '../../../contract/clusters.ts';
import type { ErrorValue } from '../../../contract/errors.ts';
import { hrefOf, navigate } from '../../app/route.ts';
import { ClusterChip } from '../../ui/cluster-chip.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import styles from './welcome.module.css';

/** The clusters that were found, each a click away; or where they were looked for. */
export function ClusterCard({
  list,
  error,
}: {
  readonly list: ClusterList | undefined;
  readonly error: ErrorValue | undefined;
}) {
  const clusters = (list?.order ?? []).flatMap((id) => list?.items[id] ?? []);
  return (
    <section className={styles['way']} aria-labelledby="use-a-cluster">
      <h2 id="use-a-cluster">
        <Server aria-hidden />
        Use a Cluster
      </h2>
      {error === undefined ? null : <ErrorBox error={error} />}
      {list === undefined && error === undefined ? <Skeleton /> : null}
      {list === undefined || list.state === 'loading' ? null : clusters.length === 0 ? (
        <>
          <p className={styles['text']}>No cluster was found. These files were looked at:</p>
          <ul className={styles['list']} style={{ margin: 0 }}>
            {list.files.map((file) => (
              <li key={file.path}>
                <span className={styles['path']}>
                  <Text value={file.path} />
                </span>
                <span className={styles['faint']}>{file.exists ? 'has no context' : 'is not there'}</span>
              </li>
            ))}
          </ul>
          {list.error === undefined ? null : <ErrorBox error={list.error} />}
        </>
      ) : (
        <ul className={styles['list']}>
          {clusters.map((cluster) => (
            <li key={cluster.id}>
              <a
                className={styles['row']}
                href={hrefOf({ page: 'workloads', cluster: cluster.id, namespaces: [cluster.namespace] })}
              >
                <ClusterChip cluster={cluster} className={styles['chip']} />
                <div>
                  <span className={styles['name']}>
                    <Text value={cluster.context} />
                  </span>
                  <span className={styles['faint']}>
                    <Text value={cluster.server} />
                  </span>
                </div>
                <span className={styles['faint']}>
                  {cluster.guard === 'none' ? (cluster.current ? 'current' : '') : cluster.guard}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <div className={styles['actions']}>
        <Button onClick={() => navigate({ page: 'settings', section: 'kubeconfig' })}>
          Choose Kubeconfig Files
        </Button>
      </div>
    </section>
  );
}
