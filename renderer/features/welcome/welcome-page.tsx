import { ArrowLeftRight, ShieldCheck, Undo2 } from 'lucide-react';
import { navigate } from '../../app/route.ts';
import { useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ClusterCard } from './cluster-card.tsx';
import { FolderCard } from './folder-card.tsx';
import { SandboxCard } from './sandbox-card.tsx';
import styles from './welcome.module.css';

/** What Slipway does, and three ways to begin. */
export function WelcomePage() {
  const { value, error } = useRemote('clusters.list', {});
  const clusters = (value?.order ?? []).flatMap((id) => value?.items[id] ?? []);
  const current = clusters.find((cluster) => cluster.current) ?? clusters[0];
  const sandbox = useRemote('app.info', {}).value?.sandbox;
  // Where there is no cluster of the user's own, the sandbox is the way that needs nothing else; it stays the first
  // when it is there.
  const sandboxFirst = clusters.every(
    ({ file }) => sandbox?.kind === 'running' && file === sandbox.kubeconfig,
  );
  const known = error !== undefined || (value !== undefined && value.state !== 'loading');
  return (
    <Page title="Welcome to Slipway">
      <div className={styles['welcome']}>
        <LeftBehind />
        <ul className={styles['promise']}>
          <li>
            <ArrowLeftRight aria-hidden />
            Your folder and the container are one place: what you save is there before you look.
          </li>
          <li>
            <ShieldCheck aria-hidden />
            You see what would change in the cluster, and whether you may, before you press Start.
          </li>
          <li>
            <Undo2 aria-hidden />
            Stop puts everything back, and nothing of Slipway stays in the cluster.
          </li>
        </ul>
        <div className={styles['ways']}>
          {known && sandboxFirst ? <SandboxCard clusters={clusters} /> : null}
          {known ? <FolderCard cluster={current} /> : null}
          <ClusterCard list={value} error={error} />
          {known && !sandboxFirst ? <SandboxCard clusters={clusters} /> : null}
        </div>
      </div>
    </Page>
  );
}

/** After a crash this page is the first that is seen: it says that something waits to be put back. */
function LeftBehind() {
  const counts = Object.entries(useRemote('leftovers.counts', {}).value?.items ?? {});
  const [first] = counts.find(([, count]) => count > 0) ?? [];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (first === undefined) return null;
  return (
    <div className={styles['left']} role="status">
      <p>
        {total === 1 ? 'A session has ended' : `${total} sessions have ended`} without putting back what{' '}
        {total === 1 ? 'it' : 'they'} changed in the cluster.
      </p>
      <Button onClick={() => navigate({ page: 'leftovers', cluster: first })}>Show Leftovers</Button>
    </div>
  );
}
