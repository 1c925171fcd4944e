import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import { navigate } from '../../app/route.ts';
import { rememberStart, useViewStore } from '../../app/view-state.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { sandboxState, sandboxTask } from './sandbox-state.ts';
import styles from './welcome.module.css';

/** Where the sample goes, as main says it. */
const sampleNamespace = 'demo';

/** From nothing to a workload to try a session on: the one-node cluster, then the sample in it. */
export function SandboxCard({ clusters }: { readonly clusters: readonly Cluster[] }) {
  const info = useRemote('app.info', {}).value;
  const tasks = useRemote('app.tasks', {}).value?.items ?? {};
  const [begun, setBegun] = useState<string>();
  const starting = useAction();
  const state = sandboxState({ info, task: sandboxTask(tasks, begun), clusters });
  const start = () =>
    void starting.run('app.startSandbox', {}).then((answer) => {
      if (answer !== undefined) setBegun(answer.task);
    });
  return (
    <section className={styles['way']} aria-labelledby="try-the-sandbox">
      <h2 id="try-the-sandbox">
        <FlaskConical aria-hidden />
        Try the Sandbox
      </h2>
      {state.kind === 'unknown' ? <Skeleton /> : null}
      {state.kind === 'unavailable' ? (
        <p className={styles['text']}>
          A Kubernetes of your own on this machine, to try things where nothing can break. It cannot run here:{' '}
          <Text value={state.reason} />
        </p>
      ) : null}
      {state.kind === 'available' ? (
        <>
          <p className={styles['text']}>
            A real one-node Kubernetes on this machine, in a network of its own: nothing of yours can break.
            It is up in seconds; the very first time it is compiled, which takes five to ten minutes.
          </p>
          {state.error === undefined ? null : <ErrorBox error={state.error} />}
          <div className={styles['actions']}>
            <Button kind="primary" onClick={start} pending={starting.pending}>
              Start the Sandbox
            </Button>
          </div>
        </>
      ) : null}
      {state.kind === 'starting' ? <Starting {...state} /> : null}
      {state.kind === 'unlisted' ? (
        <>
          <p className={styles['text']}>
            A real one-node Kubernetes runs on this machine already, in a network of its own: nothing of yours
            can break. Using it adds its kubeconfig to your list.
          </p>
          <div className={styles['actions']}>
            <Button kind="primary" onClick={start} pending={starting.pending}>
              Use the Sandbox
            </Button>
          </div>
        </>
      ) : null}
      {state.kind === 'ready' ? <Ready cluster={state.cluster} /> : null}
      {starting.error === undefined ? null : <ErrorBox error={starting.error} />}
    </section>
  );
}

function Starting({
  task,
  detail,
  progress,
  cancellable,
}: {
  readonly task: string;
  readonly detail: string;
  readonly progress?: number | undefined;
  readonly cancellable: boolean;
}) {
  const cancel = useAction();
  return (
    <>
      <div className={styles['progress']} role="status">
        <ProgressBar value={progress} label="Starting the sandbox" />
        <p className={styles['detail']}>
          <Text value={detail === '' ? 'Starting' : detail} />
        </p>
      </div>
      {cancellable ? (
        <div className={styles['actions']}>
          <Button onClick={() => void cancel.run('app.cancelTask', { id: task })} pending={cancel.pending}>
            Cancel
          </Button>
        </div>
      ) : null}
      {cancel.error === undefined ? null : <ErrorBox error={cancel.error} />}
    </>
  );
}

/** The sandbox runs: what to do in it. */
function Ready({ cluster }: { readonly cluster: Cluster }) {
  const creating = useAction();
  const view = useViewStore();
  const [confirming, setConfirming] = useState(false);
  const create = (confirmation?: string) =>
    void creating.run('app.createSample', { cluster: cluster.id, confirmation }).then((sample) => {
      if (sample === undefined) return;
      const { namespace, kind, name, folder, containerPath } = sample;
      const workload = { cluster: cluster.id, namespace, kind, name };
      // Said here, since its pods may not run yet and cannot be asked.
      rememberStart(view, { ...workload, folder, containerPath });
      navigate({ page: 'workload', ...workload, tab: 'start' });
    });
  const needsTyping = creating.error?.code === 'cluster.confirmation-needed';
  return (
    <>
      <p className={styles['text']}>
        The sandbox runs. The sample is a small web app in it, with its source in a new folder{' '}
        <code>slipway-sample</code> of yours: start a session on it, change the greeting, save, and reload.
      </p>
      <div className={styles['actions']}>
        <Button kind="primary" pending={creating.pending} onClick={() => create()}>
          Create the Sample Workload
        </Button>
        <Button
          onClick={() =>
            navigate({ page: 'workloads', cluster: cluster.id, namespaces: [cluster.namespace] })
          }
        >
          Open It
        </Button>
      </div>
      {creating.error === undefined ? null : needsTyping ? (
        <div className={styles['actions']}>
          <span className={styles['text']}>This cluster asks for a typed name before changes.</span>
          <Button onClick={() => setConfirming(true)}>Confirm…</Button>
        </div>
      ) : (
        <ErrorBox error={creating.error} />
      )}
      <ConfirmDialog
        open={confirming}
        title="Create the sample?"
        action="Create"
        type={sampleNamespace}
        list={[
          `Namespace ${sampleNamespace}`,
          `Deployment ${sampleNamespace}/web`,
          `Service ${sampleNamespace}/web`,
          'Folder slipway-sample in your own folder',
        ]}
        onClose={() => setConfirming(false)}
        onConfirm={(typed) => {
          setConfirming(false);
          create(typed);
        }}
      />
    </>
  );
}
