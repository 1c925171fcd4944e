import type { HandlersOf } from '../ipc/handlers.ts';
import type { OpenClusters } from './create-clusters.ts';

/** What a window may ask about clusters. */
export function createClustersHandlers({
  clusters,
}: {
  readonly clusters: OpenClusters;
}): HandlersOf<'clusters'> {
  return {
    'clusters.list': () => ({
      get value() {
        return clusters.list;
      },
      onChange: clusters.onChange,
      [Symbol.dispose]() {},
    }),
    'clusters.connection': ({ cluster }) => clusters.connection(cluster),
    'clusters.namespaces': ({ cluster }) => clusters.namespaces(cluster),
    'clusters.retry': async ({ cluster }) => {
      clusters.retry(cluster);
      return {};
    },
  };
}
