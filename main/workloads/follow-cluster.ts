import type { ErrorValue } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation } from '../base/errors.ts';
import type { Clusters } from '../clusters/clusters.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube } from '../kube/kube.ts';

/** After a connection could not be made, it is tried again by itself. */
const againMs = 15_000;

export interface FollowClusterOptions {
  readonly clusters: Pick<Clusters, 'kube' | 'onChange'>;
  readonly clock: Pick<Clock, 'timer'>;
  readonly cluster: string;
  /** Opens what lives on a connection; called again with a new one after its former was disposed. */
  readonly use: (kube: Kube) => AsyncDisposable;
  readonly onFailure: (error: ErrorValue) => void;
}

/** Keeps something open on the newest connection to a cluster. */
export function followCluster(options: FollowClusterOptions): Disposable {
  const { clusters, clock, cluster, use, onFailure } = options;
  let ended = false;
  let current: { readonly kube: Kube; readonly used: AsyncDisposable } | undefined;
  let again: Disposable | undefined;
  let asking = 0;
  const ask = async (): Promise<void> => {
    const turn = ++asking;
    again?.[Symbol.dispose]();
    try {
      const kube = await clusters.kube(cluster);
      if (ended || turn !== asking || current?.kube === kube) return;
      void current?.used[Symbol.asyncDispose]();
      current = { kube, used: use(kube) };
    } catch (error) {
      if (ended || turn !== asking || isCancellation(error)) return;
      if (current === undefined) onFailure(clusterErrorValue(error));
      again = clock.timer(againMs, () => void ask());
    }
  };
  const changes = clusters.onChange(() => void ask());
  void ask();
  return {
    [Symbol.dispose]() {
      ended = true;
      changes[Symbol.dispose]();
      again?.[Symbol.dispose]();
      void current?.used[Symbol.asyncDispose]();
    },
  };
}
