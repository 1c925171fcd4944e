import type { CallInputOf, ParamsOf } from '../../../contract/api.ts';
import type { PodSummary } from '../../../contract/workloads.ts';
import type { Route } from '../../app/route.ts';

/** Something that can be put into the dock. */
export type DockOffer =
  | {
      readonly kind: 'terminal';
      readonly label: string;
      readonly target: CallInputOf<'terminals.open'>['target'];
    }
  | {
      readonly kind: 'log';
      readonly label: string;
      readonly title: string;
      readonly target: ParamsOf<'logs.follow'>['target'];
    };

/** Pods whose shells are offered. */
const mostPods = 8;

/** What the page in sight has for the dock: shells in its containers, and their logs. */
export function offersOf(
  route: Route,
  context: {
    /** Name of the session's workload. */
    readonly session?: string | undefined;
    readonly pods?: readonly PodSummary[] | undefined;
  },
): readonly DockOffer[] {
  if (route.page === 'session') {
    const { session } = route;
    const name = context.session ?? 'Session';
    return [
      { kind: 'terminal', label: `Terminal in ${name}`, target: { kind: 'session', session } },
      { kind: 'log', label: `Log of ${name}`, title: name, target: { kind: 'session', session } },
    ];
  }
  if (route.page !== 'workload') return [];
  const { cluster, namespace, kind, name } = route;
  const pods = (context.pods ?? []).filter((pod) => pod.phase === 'Running').slice(0, mostPods);
  const terminals = pods.flatMap((pod) =>
    pod.containers.map((container): DockOffer => ({
      kind: 'terminal',
      label: `Terminal in ${pod.name}${pod.containers.length > 1 ? ` · ${container}` : ''}`,
      target: { kind: 'pod', cluster, namespace, pod: pod.name, container },
    })),
  );
  const containers = [...new Set(pods.flatMap((pod) => pod.containers))];
  const logOf = (container: string | undefined): DockOffer => {
    const title = container === undefined ? name : `${name} · ${container}`;
    const chosen = container === undefined ? {} : { container };
    return {
      kind: 'log',
      label: `Log of ${title}`,
      title,
      target: { kind: 'workload', cluster, namespace, workload: kind, name, ...chosen },
    };
  };
  return [...terminals, ...(containers.length > 1 ? containers.map(logOf) : [logOf(undefined)])];
}
