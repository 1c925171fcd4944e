import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { createCredentials } from '../credentials.ts';
import type { CredentialsOptions } from '../credentials.ts';
import { loadKubeconfig } from '../kubeconfig-load.ts';
import type { Selection } from '../kubeconfig-select.ts';
import { selectContext } from '../kubeconfig-select.ts';
import type { ClusterEntry, UserEntry } from '../kubeconfig.ts';
import type { Environment } from '../proxy.ts';
import { createTransport } from '../request.ts';
import type { TransportBounds } from '../request.ts';
import type { KubeTransport } from '../transport.ts';

export interface ConnectOptions extends Partial<
  Omit<CredentialsOptions, 'selection' | 'environment' | 'clock'>
> {
  readonly environment?: Environment;
  readonly clock?: Clock;
  readonly bounds?: Partial<TransportBounds>;
}

/** A transport for a cluster and user as they would stand in a kubeconfig. */
export function connect(cluster: ClusterEntry, user: UserEntry, options: ConnectOptions = {}): KubeTransport {
  return connectSelection(
    { contextName: 'test', namespace: 'default', clusterName: 'c', userName: 'u', cluster, user },
    options,
  );
}

export function connectSelection(selection: Selection, options: ConnectOptions = {}): KubeTransport {
  const { environment = { PATH: process.env['PATH'] }, clock = systemClock, bounds } = options;
  const credentials = createCredentials({ ...options, selection, environment, clock });
  return createTransport({ selection, credentials, environment, clock, bounds });
}

/** A transport for the current context of real kubeconfig files. */
export async function connectFiles(
  environment: Environment,
  options: ConnectOptions = {},
): Promise<KubeTransport> {
  const selection = selectContext(await loadKubeconfig({ environment }), {});
  return connectSelection(selection, { ...options, environment });
}
