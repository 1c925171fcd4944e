import type { CoreV1Event } from '@kubernetes/client-node';
import type { ObjectEvent } from '../../contract/workloads.ts';
import { readEach } from './unreadable.ts';

/** Events of one workload that are shown. */
export const maximumEvents = 200;

/** The objects whose events belong to a workload: itself, its ReplicaSets and its pods. */
export interface EventScope {
  readonly kind: string;
  readonly name: string;
  readonly pods: ReadonlySet<string>;
}

/** The latest events of a workload and of what comes from it; what was told twice is there once, what makes no sense is named. */
export function eventsOf(
  events: Iterable<CoreV1Event>,
  scope: EventScope,
): { readonly items: Readonly<Record<string, ObjectEvent>>; readonly unreadable: readonly string[] } {
  const merged = new Map<string, ObjectEvent>();
  const { results, unreadable } = readEach(events, (event) =>
    belongs(event, scope) ? shownEvent(event) : undefined,
  );
  for (const shown of results) {
    if (shown === undefined) continue;
    const key = `${shown.object}|${shown.reason}|${shown.message}`;
    const known = merged.get(key);
    merged.set(
      key,
      known === undefined
        ? shown
        : { ...(known.at > shown.at ? known : shown), count: known.count + shown.count },
    );
  }
  const latest = [...merged].sort(([, a], [, b]) => b.at.localeCompare(a.at)).slice(0, maximumEvents);
  return { items: Object.fromEntries(latest), unreadable };
}

function belongs(event: CoreV1Event, { kind, name, pods }: EventScope): boolean {
  const { kind: about = '', name: object = '' } = event.involvedObject ?? {};
  if (about === kind && object === name) return true;
  if (about === 'Pod' && pods.has(object)) return true;
  if (!object.startsWith(`${name}-`)) return false;
  const rest = object.slice(name.length + 1);
  // Names that a controller makes: pods that are gone by now belong here too.
  switch (kind) {
    case 'Deployment':
      if (about === 'ReplicaSet') return /^[a-z0-9]{6,10}$/.test(rest);
      return about === 'Pod' && /^[a-z0-9]{6,10}-[a-z0-9]{5}$/.test(rest);
    case 'StatefulSet':
      return about === 'Pod' && /^\d+$/.test(rest);
    default:
      return about === 'Pod' && /^[a-z0-9]{5}$/.test(rest);
  }
}

function shownEvent(event: CoreV1Event): ObjectEvent {
  const { kind = '', name = '' } = event.involvedObject ?? {};
  const at =
    event.series?.lastObservedTime ??
    event.lastTimestamp ??
    event.eventTime ??
    event.firstTimestamp ??
    event.metadata?.creationTimestamp;
  return {
    at: timeText(at),
    warning: event.type === 'Warning',
    object: `${kind}/${name}`,
    reason: event.reason ?? '',
    message: (event.message ?? '').slice(0, 2_000),
    count: event.series?.count ?? event.count ?? 1,
  };
}

/** Objects arrive as JSON, so times are text of one or another precision. */
function timeText(value: unknown): string {
  const time = value instanceof Date ? value.getTime() : Date.parse(String(value));
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
