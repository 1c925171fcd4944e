import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { testKubeconfig } from '../../../tests/support/kubectl.ts';
import { systemClock } from '../../base/clock.ts';
import { createKube } from '../../kube/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig-load.ts';
import { selectContext } from '../../kube/kubeconfig-select.ts';
import type { Kube } from '../../kube/kube.ts';

const run = promisify(execFile);

/** A connection with the rights of a kubeconfig. Streams are not part of it. */
export async function connectCluster(kubeconfig = testKubeconfig()): Promise<Kube> {
  const environment = { PATH: process.env['PATH'], KUBECONFIG: kubeconfig };
  const selection = selectContext(await loadKubeconfig({ environment }), {});
  const absent = (): never => {
    throw new Error('Streams are not part of this connection');
  };
  return createKube({
    selection,
    environment,
    clock: systemClock,
    streams: () => ({ exec: absent, attach: absent, forward: absent, logs: absent }),
    review: () => absent,
  });
}

/** kubectl with the test cluster's rights: the oracle of what is really there. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const child = run('kubectl', ['--kubeconfig', testKubeconfig(), ...args], { maxBuffer: 16 * 1024 * 1024 });
  if (input !== undefined) child.child.stdin?.end(input);
  return (await child).stdout;
}

export async function kubectlJson<T>(args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl([...args, '-o', 'json'])) as T;
}

/** A namespace of one's own, with its default ServiceAccount there, removed on disposal. */
export async function temporaryNamespace(
  prefix: string,
): Promise<{ readonly name: string } & AsyncDisposable> {
  const name = `${prefix}-${randomBytes(3).toString('hex')}`;
  await kubectl(['create', 'namespace', name]);
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await kubectl(['-n', name, 'get', 'serviceaccount', '--ignore-not-found', '-o', 'name']);
    if (found.includes('serviceaccount/default')) break;
    await systemClock.sleep(100);
  }
  return {
    name,
    async [Symbol.asyncDispose]() {
      await kubectl(['delete', 'namespace', name, '--wait=false']);
    },
  };
}
