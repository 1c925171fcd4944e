import type { Cluster } from '../../contract/clusters.ts';
import type { DetachedRoute } from '../../contract/detached-route.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import type { Terminal } from '../../contract/terminals.ts';
import { documentTitle } from './place.ts';
import type { PageRoute } from './route.ts';

/** What a detached view belongs to, as far as it is known. */
export interface DetachedPlace {
  readonly cluster: Cluster | undefined;
  /** Name of what is shown, like "Log of web". */
  readonly heading: string;
  /** Of the document. */
  readonly title: string;
  /** The page in the whole frame that is nearest to it. */
  readonly home: PageRoute;
}

type ItemsOf<Item> = Readonly<Record<string, Item>> | undefined;

/** Finds the cluster, the name and the page of a view; of one that nobody knows (any more) only what it is. */
export function detachedPlaceOf(
  route: DetachedRoute,
  known: {
    readonly clusters: ItemsOf<Cluster>;
    readonly sessions: ItemsOf<SessionSummary>;
    readonly terminals: ItemsOf<Terminal>;
  },
): DetachedPlace {
  const { id, heading, home } =
    route.page === 'terminal'
      ? ofTerminal(known.terminals?.[route.terminal])
      : ofLog(route.target, known.sessions);
  const cluster = id === undefined ? undefined : known.clusters?.[id];
  return { cluster, heading, home, title: documentTitle([heading, cluster?.context]) };
}

interface Found {
  /** Of the cluster. */
  readonly id?: string | undefined;
  readonly heading: string;
  readonly home: PageRoute;
}

function ofTerminal(terminal: Terminal | undefined): Found {
  if (terminal === undefined) return { heading: 'Terminal', home: { page: 'welcome' } };
  const { cluster, namespace, session, title } = terminal;
  return {
    id: cluster,
    heading: `Terminal in ${title}`,
    home:
      session === undefined
        ? { page: 'workloads', cluster, namespaces: [namespace] }
        : { page: 'session', session },
  };
}

function ofLog(
  target: Extract<DetachedRoute, { readonly page: 'log' }>['target'],
  sessions: ItemsOf<SessionSummary>,
): Found {
  if (target.kind === 'session') {
    const session = sessions?.[target.session];
    return {
      id: session?.cluster,
      heading: session === undefined ? 'Log of a session' : `Log of ${session.target}`,
      home: { page: 'session', session: target.session },
    };
  }
  const { cluster, namespace, workload: kind, name, container } = target;
  return {
    id: cluster,
    heading: `Log of ${name}${container === undefined ? '' : ` · ${container}`}`,
    home: { page: 'workload', cluster, namespace, kind, name },
  };
}
