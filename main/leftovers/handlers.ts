import type { Leftover, LeftoverResult } from '../../contract/leftovers.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Cluster } from '../../contract/clusters.ts';
import type { Clock } from '../base/clock.ts';
import { SlipwayError, isCancellation, isSlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { HandlersOf, StateSource } from '../ipc/handlers.ts';
import type { Kube } from '../kube/kube.ts';
import type { Sessions } from '../session/session.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { actOnLeftover, stepsOf, type LeftoverAction } from './act-on-leftover.ts';
import { ClusterLeftovers, type OwnSessions } from './cluster-leftovers.ts';
import { explainLeftover } from './explain-leftover.ts';
import { expectedConfirmation } from './expected-confirmation.ts';
import type { FoundLeftover } from './found-leftover.ts';
import { inParallel } from './in-parallel.ts';
import { leftoverCounts } from './leftover-counts.ts';

/** Restored or removed at once; each waits for pods. */
const maximumParallel = 4;

export interface LeftoversDependencies {
  readonly clusters: Pick<Clusters, 'info' | 'kube' | 'kubeFor' | 'confirmation' | 'onChange'>;
  /** Ids of the clusters that are connected already: counting connects no others. */
  readonly connected: { readonly value: readonly string[]; readonly onChange: Event<void> };
  readonly sessions: (kube: Kube) => Sessions;
  readonly own: OwnSessions;
  readonly tasks: Pick<Tasks, 'start'>;
  readonly clock: Clock;
  /** Whether the command line finds contexts of this file by itself. */
  readonly isDefaultKubeconfig: (file: string) => boolean;
}

/** What a window may ask about leftovers. Disposing ends all watching. */
export function createLeftoversHandlers(deps: LeftoversDependencies): HandlersOf<'leftovers'> & Disposable {
  const clusters = new Map<string, ClusterLeftovers>();
  const leftoversOf = (id: string): ClusterLeftovers => {
    infoOf(deps, id);
    let found = clusters.get(id);
    if (found === undefined) {
      const { sessions, own, clock } = deps;
      found = new ClusterLeftovers({ connect: () => deps.clusters.kube(id), sessions, own, clock });
      clusters.set(id, found);
    }
    return found;
  };
  return {
    'leftovers.list': ({ cluster }) => watched(leftoversOf(cluster)),
    'leftovers.counts': () => leftoverCounts({ connected: deps.connected, leftoversOf }),
    'leftovers.refresh': async ({ cluster }) => {
      await leftoversOf(cluster).refresh();
      return {};
    },
    'leftovers.preview': async ({ cluster, keys, action }, { signal }) => {
      const info = infoOf(deps, cluster);
      const found = await leftoversOf(cluster).found(signal);
      const items = distinct(keys).map((key) => {
        try {
          return { key, steps: stepsOf(key, found.get(key), action) };
        } catch (error) {
          if (!isSlipwayError(error)) throw error;
          return { key, steps: [], error: error.toValue() };
        }
      });
      const expected = expectedConfirmation(chosen(found, keys), info.context);
      const confirmation = deps.clusters.confirmation(cluster, expected);
      return confirmation === undefined ? { items } : { items, confirmation };
    },
    'leftovers.act': async ({ cluster, keys, action, confirmation }, { signal }) => ({
      items: await act(deps, leftoversOf(cluster), {
        cluster,
        keys: distinct(keys),
        action,
        typed: confirmation,
        signal,
      }),
    }),
    'leftovers.explain': async ({ cluster, key }, { signal }) => {
      const info = infoOf(deps, cluster);
      const found = (await leftoversOf(cluster).found(signal)).get(key);
      if (found === undefined) throw goneError(key);
      return explainLeftover(found, {
        context: info.context,
        kubeconfig: deps.isDefaultKubeconfig(info.file) ? undefined : info.file,
      });
    },
    [Symbol.dispose]() {
      for (const leftovers of clusters.values()) leftovers[Symbol.dispose]();
      clusters.clear();
    },
  };
}

function watched(leftovers: ClusterLeftovers): StateSource<Listing<Leftover>> {
  const watching = leftovers.watch({ closely: true });
  return {
    get value() {
      return leftovers.value;
    },
    onChange: leftovers.onChange,
    [Symbol.dispose]: () => watching[Symbol.dispose](),
  };
}

interface Act {
  readonly cluster: string;
  readonly keys: readonly string[];
  readonly action: LeftoverAction;
  readonly typed: string | undefined;
  readonly signal: AbortSignal;
}

/** As a task, which goes on when the window goes away: half a restore helps nobody. */
async function act(
  deps: LeftoversDependencies,
  leftovers: ClusterLeftovers,
  { cluster, keys, action, typed, signal }: Act,
): Promise<readonly LeftoverResult[]> {
  const info = infoOf(deps, cluster);
  const found = await leftovers.found(signal);
  const expected = expectedConfirmation(chosen(found, keys), info.context);
  const kube = await deps.clusters.kubeFor(cluster, { expected, typed });
  const sessions = deps.sessions(kube);
  let results: readonly LeftoverResult[] = [];
  const verb = action === 'restore' ? 'Restore' : 'Remove';
  const title = `${verb} ${keys.length} ${keys.length === 1 ? 'leftover' : 'leftovers'} in ${info.context}`;
  const task = deps.tasks.start({ title, route: `#/leftovers/${cluster}` }, async (progress, stop) => {
    let ended = 0;
    results = await inParallel(keys, maximumParallel, async (key) => {
      const onProgress = (detail: string): void => progress.report({ detail });
      const options = { kube, sessions, action, onProgress, signal: stop };
      const result = await actOnLeftover(key, found.get(key), options);
      progress.report({ progress: ++ended / keys.length });
      return result;
    });
    stop.throwIfAborted();
    assertAllDone(results, action);
  });
  try {
    await task.result;
  } catch (error) {
    // Each result says it by itself.
    if (!isCancellation(error) && !isSlipwayError(error)) throw error;
  } finally {
    void leftovers.refresh();
  }
  return results;
}

/** Makes the task say that something was not done. */
function assertAllDone(results: readonly LeftoverResult[], action: LeftoverAction): void {
  const failed = results.filter(({ error, remaining }) => error !== undefined || remaining.length > 0);
  const [first] = failed;
  if (first === undefined) return;
  throw new SlipwayError({
    code: 'session.restore-incomplete',
    message: `${failed.length} of ${results.length} could not be ${action === 'restore' ? 'restored' : 'removed'} completely.`,
    cause: first.error?.message ?? first.remaining.join(' '),
    next: 'Look at the leftovers: what is not done is listed there still.',
  });
}

function chosen(
  found: ReadonlyMap<string, FoundLeftover>,
  keys: readonly string[],
): readonly FoundLeftover[] {
  return distinct(keys).flatMap((key) => found.get(key) ?? []);
}

function distinct(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}

function infoOf(deps: LeftoversDependencies, id: string): Cluster {
  const info = deps.clusters.info(id);
  if (info !== undefined) return info;
  throw new SlipwayError({
    code: 'cluster.unknown',
    message: 'There is no such cluster any more.',
    cause: 'Its context is in none of the kubeconfig files.',
    next: 'Choose another cluster, or add its kubeconfig in the settings.',
  });
}

function goneError(key: string): SlipwayError {
  return new SlipwayError({
    code: 'session.not-found',
    message: `There is no leftover ${key} any more.`,
    cause: 'Somebody restored or removed it meanwhile.',
    next: 'Look at the list again.',
  });
}
