import type { Cluster, ClusterList } from '../../contract/clusters.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Settings } from '../../contract/settings.ts';
import { printable } from '../kube/errors.ts';
import { contextNames, type Kubeconfig, type KubeconfigProblem } from '../kube/kubeconfig.ts';
import { clusterIdOf } from './cluster-id.ts';
import { chooseLooks, suggestGuard } from './cluster-look.ts';
import type { KubeconfigGroup } from './kubeconfig-groups.ts';

/** How many contexts are listed. */
export const maximumClusters = 1000;
const maximumNotes = 50;
const maximumNoteLength = 500;

/** Where a cluster of the list comes from: what it takes to connect to it. */
export interface ClusterSource {
  readonly context: string;
  readonly file: string;
  readonly group: KubeconfigGroup;
}

export interface DescribedClusters {
  readonly list: ClusterList;
  readonly sources: ReadonlyMap<string, ClusterSource>;
}

/**
 * The list that a window shows, and where each cluster comes from. Names, addresses and paths only: what a
 * kubeconfig holds for signing in stays here.
 */
export function describeClusters(
  groups: readonly KubeconfigGroup[],
  settings: Pick<Settings, 'clusters'>,
): DescribedClusters {
  const all = sourcesOf(groups);
  const sources = new Map([...all].slice(0, maximumClusters));
  const looks = chooseLooks([...sources].map(([id, { context }]) => ({ id, context })));
  const items = [...sources].map(([id, source]): readonly [string, Cluster] => [
    id,
    describeCluster(id, source, settings.clusters[id], looks.get(id) ?? { initials: '?', color: 'slate' }),
  ]);
  const problems = groups.flatMap(({ config }) => config.problems);
  const notes = [...problems.map(describeProblem), ...tooMany(all.size)].slice(0, maximumNotes);
  const base = { order: [...sources.keys()], files: groups.flatMap(({ files }) => files) };
  const [worst] = items.length === 0 ? problems : [];
  return {
    sources,
    list: {
      ...base,
      items: Object.fromEntries(items),
      state: worst !== undefined ? 'error' : notes.length > 0 ? 'partial' : 'ready',
      ...(notes.length > 0 ? { notes } : {}),
      ...(worst === undefined ? {} : { error: unusable(worst) }),
    },
  };
}

function sourcesOf(groups: readonly KubeconfigGroup[]): ReadonlyMap<string, ClusterSource> {
  const sources = new Map<string, ClusterSource>();
  for (const group of groups) {
    for (const context of contextNames(group.config)) {
      const file = group.config.contexts.get(context)?.file;
      if (file === undefined) continue;
      const id = clusterIdOf(file, context);
      if (!sources.has(id)) sources.set(id, { context, file, group });
    }
  }
  return sources;
}

function describeCluster(
  id: string,
  { context, file, group: { config } }: ClusterSource,
  chosen: Settings['clusters'][string] | undefined,
  look: Pick<Cluster, 'initials' | 'color'>,
): Cluster {
  const entry = config.contexts.get(context)?.value;
  const cluster = entry?.cluster ?? '';
  const suggested = chosen?.guard === undefined ? suggestGuard(context, cluster) : undefined;
  return {
    id,
    context,
    cluster,
    user: entry?.user ?? '',
    server: addressOf(config, cluster),
    file,
    namespace: entry?.namespace ?? 'default',
    initials: chosen?.initials ?? look.initials,
    color: chosen?.color ?? look.color,
    guard: chosen?.guard ?? 'none',
    ...(suggested === undefined ? {} : { suggestedGuard: suggested }),
    current: context === config.currentContext,
  };
}

/** Without what an address may carry of a sign-in. */
function addressOf(config: Kubeconfig, cluster: string): string {
  const server = config.clusters.get(cluster)?.value.server ?? '';
  try {
    const url = new URL(server);
    return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
  } catch {
    return server.replace(/^.*@/s, '').replace(/[?#].*$/s, '');
  }
}

function describeProblem({ file, message }: KubeconfigProblem): string {
  return printable(`${file}: ${message}`).slice(0, maximumNoteLength);
}

function tooMany(count: number): readonly string[] {
  return count > maximumClusters
    ? [`${count - maximumClusters} further contexts are not shown: ${maximumClusters} is the most.`]
    : [];
}

function unusable(problem: KubeconfigProblem): ErrorValue {
  return {
    code: 'kubeconfig.invalid',
    message: 'No context could be read from your kubeconfigs.',
    cause: describeProblem(problem),
    next: 'Correct that file; it is read again as soon as it changes.',
  };
}
