import type { KubernetesObject } from '@kubernetes/client-node';
import type { DevState } from '../../contract/workloads.ts';
import type { LeaseObject } from '../session/lease.ts';
import type { LiveSessions, SessionKnowledge } from './dependencies.ts';
import { rowKey } from './workload-rows.ts';

export interface DevStatesInput {
  readonly cluster: string;
  readonly leases: Iterable<LeaseObject>;
  /** Deployments that sessions created. */
  readonly devObjects: Iterable<KubernetesObject>;
  readonly live: Pick<LiveSessions, 'sessionOn'>;
  readonly session: Pick<SessionKnowledge, 'sessionOf' | 'judgeLease' | 'keys'>;
  /** As the server sees this user; undefined when it does not say. */
  readonly user: string | undefined;
  /** The server's clock; undefined when not known, and then no session is called dead. */
  readonly serverNow: number | undefined;
  /** Whether the Leases are known: without them a dev object alone says nothing about life. */
  readonly leasesKnown: boolean;
  /** Hears of objects that make no sense and are passed over. */
  readonly onUnreadable?: ((object: KubernetesObject) => void) | undefined;
}

/** Sessions by the key of the workload that they hold. Leases tell, and dev objects where their Lease is gone. */
export function devStates(input: DevStatesInput): ReadonlyMap<string, DevState> {
  const states = new Map<string, DevState>();
  const each = <T extends KubernetesObject>(objects: Iterable<T>, add: (object: T) => void): void => {
    for (const object of objects) {
      try {
        add(object);
      } catch {
        input.onUnreadable?.(object);
      }
    }
  };
  each(input.devObjects, (object) => addState(states, input, object, input.leasesKnown ? 'dead' : 'other'));
  each(input.leases, (lease) => {
    const liveness = input.session.judgeLease(lease, input.serverNow);
    addState(states, input, lease, liveness.kind === 'dead' ? 'dead' : 'other');
  });
  return states;
}

function addState(
  states: Map<string, DevState>,
  { cluster, live, session, user }: DevStatesInput,
  object: LeaseObject | KubernetesObject,
  state: 'other' | 'dead',
): void {
  const { keys } = session;
  const { namespace = '', annotations = {}, creationTimestamp } = object.metadata ?? {};
  const [kind = '', name = ''] = (annotations[keys.target] ?? '').split('/');
  if (session.sessionOf(object) === undefined || name === '') return;
  const own = live.sessionOn({ cluster, namespace, kind, name });
  const holder = `${annotations[keys.user] ?? '(unknown)'}@${annotations[keys.machine] ?? '(unknown)'}`;
  const mine = own !== undefined || (user !== undefined && annotations[keys.user] === user);
  states.set(rowKey(namespace, kind, name), {
    // The app's own session is alive as long as the app says so, whatever a late heartbeat looks like.
    state: own !== undefined ? 'mine' : state === 'dead' ? 'dead' : mine ? 'mine' : 'other',
    ...(own === undefined ? {} : { session: own }),
    holder,
    since: annotations[keys.createdAt] ?? String(creationTimestamp ?? ''),
  });
}
