import { clusterIdPattern, labelPattern, objectNamePattern, ownIdPattern } from './name-patterns.ts';
import { workloadKinds, type WorkloadKind } from './workload-kinds.ts';

/** A log, as `logs.follow` takes it. */
type DetachedLog =
  | { readonly kind: 'session'; readonly session: string }
  | {
      readonly kind: 'workload';
      readonly cluster: string;
      readonly namespace: string;
      readonly workload: WorkloadKind;
      readonly name: string;
      readonly container?: string | undefined;
    };

/** What a window can show alone, without the frame around it. */
export type DetachedRoute =
  | { readonly page: 'terminal'; readonly terminal: string }
  | { readonly page: 'log'; readonly target: DetachedLog };

/** Longest address of one: 64 + 63 + 253 + 63 characters of names, and what stands between them. */
export const maximumDetachedHash = 512;

/**
 * The address of a detached view: `#/terminal/<id>`, `#/log/session/<id>` or
 * `#/log/workload/<cluster>/<namespace>/<kind>/<name>[/<container>]`. A part that has to be escaped makes it no address at
 * all, see {@link parseDetachedRoute}: names of clusters have none.
 */
export function detachedHash(route: DetachedRoute): string {
  if (route.page === 'terminal') return hashOf('terminal', route.terminal);
  const { target } = route;
  if (target.kind === 'session') return hashOf('log', 'session', target.session);
  const { cluster, namespace, workload, name, container } = target;
  const last = container === undefined ? [] : [container];
  return hashOf('log', 'workload', cluster, namespace, workload, name, ...last);
}

function hashOf(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * Reads {@link detachedHash}. Main opens a window on what a page asks for, so each part has its pattern, and anything
 * that is not exactly one of these addresses is none.
 */
export function parseDetachedRoute(hash: string): DetachedRoute | undefined {
  if (hash.length > maximumDetachedHash) return undefined;
  const [start, page, ...parts] = hash.split('/');
  if (start !== '#') return undefined;
  if (page === 'terminal') {
    const [terminal = '', ...more] = parts;
    return more.length === 0 && ownIdPattern.test(terminal) ? { page, terminal } : undefined;
  }
  if (page !== 'log') return undefined;
  const target = parts[0] === 'session' ? sessionLog(parts.slice(1)) : workloadLog(parts);
  return target === undefined ? undefined : { page, target };
}

function sessionLog([session = '', ...more]: readonly string[]): DetachedLog | undefined {
  return more.length === 0 && ownIdPattern.test(session) ? { kind: 'session', session } : undefined;
}

function workloadLog(parts: readonly string[]): DetachedLog | undefined {
  const [kind, cluster = '', namespace = '', workloadText, name = '', container, ...more] = parts;
  const workload = workloadKinds.find((known) => known === workloadText);
  if (kind !== 'workload' || workload === undefined || more.length > 0) return undefined;
  if (!clusterIdPattern.test(cluster) || !labelPattern.test(namespace) || !objectNamePattern.test(name))
    return undefined;
  if (container === undefined) return { kind, cluster, namespace, workload, name };
  return labelPattern.test(container) ? { kind, cluster, namespace, workload, name, container } : undefined;
}
