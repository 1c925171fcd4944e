import type { ParamsOf, StateName, ValueOf } from '../../../contract/api.ts';
import { startForm } from '../../../contract/workloads.ts';
import type { Client } from '../../../renderer/ipc/remote-client.ts';

/** The first value that is as wanted. */
export function valueWhen<Name extends StateName>(
  client: Client,
  name: Name,
  params: ParamsOf<Name>,
  isWanted: (value: ValueOf<Name>) => boolean,
): Promise<ValueOf<Name>> {
  return new Promise((resolve, reject) => {
    const watching = client.watch(name, params, ({ value, error }) => {
      if (error !== undefined) reject(new Error(error.message));
      else if (value !== undefined && isWanted(value)) resolve(value);
      else return;
      queueMicrotask(() => watching[Symbol.dispose]());
    });
  });
}

/** The one cluster of the kubeconfig. */
export async function onlyCluster(client: Client): Promise<string> {
  const { order } = await valueWhen(client, 'clusters.list', {}, ({ order: ids }) => ids.length > 0);
  return order[0] ?? '';
}

export interface WantedSession {
  readonly namespace: string;
  readonly name: string;
  readonly folder: string;
}

/** The plan of a session without ports, as the window asks for it. */
export async function planSession(client: Client, wanted: WantedSession) {
  const form = startForm.parse({
    cluster: await onlyCluster(client),
    namespace: wanted.namespace,
    kind: 'Deployment',
    name: wanted.name,
    folder: wanted.folder,
    containerPath: '/app',
    createPath: true,
    excludes: ['.git/'],
    ports: [],
    env: [],
  });
  return client.call('workloads.plan', form);
}

/** Starts a session, and waits until it runs and both sides are alike. */
export async function startOverWire(client: Client, wanted: WantedSession): Promise<string> {
  const plan = await planSession(client, wanted);
  if (plan.obstacles.length > 0) throw new Error(plan.obstacles.map(({ message }) => message).join(' '));
  const { session } = await client.call('sessions.start', { plan: plan.id });
  await valueWhen(client, 'sessions.detail', { session }, ({ summary }) => {
    if (summary.stage === 'failed') throw new Error(summary.sentence);
    return summary.stage === 'running' && summary.sentence.startsWith('In sync');
  });
  return session;
}
