import type { Namespace } from '../../contract/clusters.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Health, SessionSummary } from '../../contract/sessions.ts';
import type { Workload } from '../../contract/workloads.ts';

/** A namespace as the side shows it. */
export interface NamespaceRow {
  readonly name: string;
  readonly chosen: boolean;
  readonly terminating: boolean;
  /** What of ours or of others is developed in it. */
  readonly dev: 'none' | 'other' | Health;
  /** Workloads, `forbidden`, or undefined while nobody has looked. */
  readonly count: number | 'forbidden' | undefined;
}

/** Rows that are shown at once; a filter finds the others. */
export const mostNamespaces = 300;

/** What is known of the workloads of some namespaces of one cluster. */
export type WorkloadCounts = Readonly<
  Record<string, { readonly count: number | 'forbidden'; readonly others: number }>
>;

/**
 * Counts workloads by namespace for those that were asked for (none: all that have some). A listing that is still
 * loading, or that failed for another reason than rights, counts nothing.
 */
export function countWorkloads(
  listing: Listing<Workload> | undefined,
  namespaces: readonly string[],
): WorkloadCounts {
  if (listing === undefined || listing.state === 'loading') return {};
  if (listing.state === 'error') {
    const forbidden = listing.error?.code === 'cluster.forbidden' || listing.error?.code === 'rights.missing';
    if (!forbidden) return {};
    return Object.fromEntries(namespaces.map((name) => [name, { count: 'forbidden' as const, others: 0 }]));
  }
  const counts: Record<string, { count: number; others: number }> = Object.create(null) as Record<
    string,
    never
  >;
  for (const name of namespaces) counts[name] = { count: 0, others: 0 };
  for (const workload of Object.values(listing.items)) {
    const entry = (counts[workload.namespace] ??= { count: 0, others: 0 });
    entry.count += 1;
    if (workload.dev?.state === 'other') entry.others += 1;
  }
  return counts;
}

const order: readonly Health[] = ['error', 'attention', 'busy', 'ok', 'idle'];

/** The namespaces of a cluster that match a filter: chosen and lived-in ones first, then by name. */
export function namespaceRows(input: {
  readonly namespaces: readonly Namespace[];
  readonly chosen: readonly string[];
  readonly sessions: readonly SessionSummary[];
  readonly cluster: string;
  readonly counts: WorkloadCounts;
  readonly filter: string;
}): { readonly rows: readonly NamespaceRow[]; readonly more: number } {
  const needle = input.filter.trim().toLowerCase();
  const known = new Map(input.namespaces.map((namespace) => [namespace.name, namespace]));
  for (const name of input.chosen) if (!known.has(name)) known.set(name, { name, terminating: false });
  const ours = new Map<string, Health[]>();
  for (const session of input.sessions)
    if (session.cluster === input.cluster && session.stage !== 'ended')
      ours.set(session.namespace, [...(ours.get(session.namespace) ?? []), session.health]);
  const rows = [...known.values()]
    .filter(({ name }) => needle === '' || name.toLowerCase().includes(needle))
    .map(({ name, terminating }): NamespaceRow => {
      const counted = Object.hasOwn(input.counts, name) ? input.counts[name] : undefined;
      const health = order.find((one) => ours.get(name)?.includes(one));
      return {
        name,
        terminating,
        chosen: input.chosen.includes(name),
        dev: health ?? ((counted?.others ?? 0) > 0 ? 'other' : 'none'),
        count: counted?.count,
      };
    })
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
  return { rows: rows.slice(0, mostNamespaces), more: Math.max(0, rows.length - mostNamespaces) };
}

/** Only while there are more than fit: a list that reorders under the pointer is worse than a long one. */
function rank(row: NamespaceRow): number {
  return row.dev !== 'none' && row.dev !== 'other' ? 0 : 1;
}

/** The namespaces after one was added to what is shown, or taken away; never none, which would mean all. */
export function withNamespace(chosen: readonly string[], name: string): readonly string[] {
  if (!chosen.includes(name)) return [...chosen, name];
  const rest = chosen.filter((other) => other !== name);
  return rest.length === 0 ? chosen : rest;
}
