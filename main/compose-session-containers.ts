import { SlipwayError } from './base/errors.ts';
import type { SessionContainers } from './channels/terminals.ts';
import type { Clusters } from './clusters/clusters.ts';
import type { LiveSession } from './dev/live-session.ts';

/**
 * Where a terminal or log of a session finds its container. A session keeps the connection that it was allowed to begin
 * with, so that it can put everything back whatever is chosen meanwhile; a new shell has to ask the guard of now.
 */
export function composeSessionContainers(
  live: { get(id: string): Pick<LiveSession, 'reach' | 'isOver' | 'detail'> },
  clusters: Pick<Clusters, 'assertMayBegin'>,
): SessionContainers {
  return {
    async containerOf(id, signal, use) {
      const session = live.get(id);
      const { reach } = session;
      if (reach === undefined)
        throw new SlipwayError({
          code: 'session.not-found',
          message: session.isOver ? 'This session is over.' : 'This session has no container yet.',
          cause: session.detail.value.summary.sentence,
          next: session.isOver ? 'Start a new session.' : 'Try again when it runs.',
        });
      const { kube, cluster, source } = reach;
      if (use === 'shell') clusters.assertMayBegin(cluster);
      const target = await source.current(signal);
      // Waiting for a container may have taken long.
      if (use === 'shell') clusters.assertMayBegin(cluster);
      return { kube, cluster, target };
    },
  };
}
