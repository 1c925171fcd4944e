import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { testKubeconfig } from '../../../tests/support/kubectl.ts';
import { DisposableStore } from '../../base/dispose.ts';
import { createKube } from '../../kube/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig-load.ts';
import { selectContext } from '../../kube/kubeconfig-select.ts';
import type { Kube, PodTarget } from '../../kube/kube.ts';
import { createStreams } from '../../kube/streams/streams.ts';

const run = promisify(execFile);

/** kubectl with the test cluster's rights: the oracle of what is really there. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const child = run('kubectl', ['--kubeconfig', testKubeconfig(), ...args], { maxBuffer: 64 * 1024 * 1024 });
  if (input !== undefined) child.child.stdin?.end(input);
  return (await child).stdout;
}

export interface TestPod extends AsyncDisposable {
  readonly kube: Kube;
  readonly target: PodTarget;
}

/** A running pod in a namespace of its own, and a connection to it. `spec` is merged into the container. */
export async function startPod(
  image: string,
  options: { readonly container?: object; readonly pod?: object } = {},
): Promise<TestPod> {
  const opened = new DisposableStore();
  const namespace = `he-${randomBytes(3).toString('hex')}`;
  const environment = { PATH: process.env['PATH'], KUBECONFIG: testKubeconfig() };
  const selection = selectContext(await loadKubeconfig({ environment }), {});
  const kube = opened.add(
    createKube({
      selection,
      environment,
      streams: createStreams,
      review: () => () => Promise.resolve({ kind: 'unknown', reason: '' }),
    }),
  );
  await kubectl(['create', 'namespace', namespace]);
  opened.defer(async () => {
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
  });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'box', namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image, imagePullPolicy: 'IfNotPresent', ...options.container }],
      ...options.pod,
    },
  };
  await kubectl(['apply', '-f', '-'], JSON.stringify(pod));
  await kubectl(['-n', namespace, 'wait', 'pod/box', '--for=condition=Ready', '--timeout=60s']);
  return {
    kube,
    target: { namespace, pod: 'box', container: 'main' },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** What a shell command prints in the container, by kubectl. */
export function inPod(pod: TestPod, script: string): Promise<string> {
  return kubectl(['-n', pod.target.namespace, 'exec', pod.target.pod, '-c', 'main', '--', 'sh', '-c', script]);
}
