import type { ClusterChange } from '../../contract/sessions.ts';
import type { leaseName } from '../session/names.ts';
import type { SessionRecord } from '../session/record.ts';
import type { whyReplicasStay } from '../session/restore-replicas.ts';
import type { RestoreReport } from '../session/session.ts';

/** What the session feature knows about its own objects. */
export interface RecordKnowledge {
  readonly leaseName: typeof leaseName;
  readonly whyReplicasStay: typeof whyReplicasStay;
}

export const replicasChange = 'replicas';
const devObjectChange = 'dev';
const leaseChange = 'lease';

/** Everything that a session created or changed in the cluster, in the order in which it was done. */
export function changesOf(
  record: SessionRecord,
  knowledge: RecordKnowledge,
): Readonly<Record<string, ClusterChange>> {
  const { target, devObject } = record;
  const changes: Record<string, ClusterChange> = {
    [leaseChange]: {
      object: `Lease/${knowledge.leaseName(target.kind, target.name)}`,
      what: 'created',
      from: '',
      to: `session ${record.session}`,
      state: 'made',
      note: 'Keeps others off the workload and holds what is needed to put everything back.',
      restorable: false,
    },
    [devObjectChange]: {
      object: `Deployment/${devObject.name}`,
      what: 'created',
      from: '',
      to: `a copy of ${target.name} with container ${record.container} for development`,
      state: 'made',
      note: 'The session runs in it; Stop and Restore removes it.',
      restorable: false,
    },
  };
  const [replicas] = record.changes;
  if (replicas !== undefined) {
    const why = knowledge.whyReplicasStay(record);
    changes[replicasChange] = {
      object: `${target.kind}/${target.name}`,
      what: 'spec.replicas',
      from: String(replicas.from),
      to: String(replicas.to),
      state: 'made',
      note: why ?? `Restored alone, its pods run beside ${devObject.name} and share its traffic.`,
      restorable: why === undefined,
    };
  }
  return changes;
}

/** The same after the end: what was put back, and what somebody else's hand kept. */
export function changesAfter(
  changes: Readonly<Record<string, ClusterChange>>,
  report: Pick<RestoreReport, 'kept'>,
): Readonly<Record<string, ClusterChange>> {
  return Object.fromEntries(
    Object.entries(changes).map(([key, change]): [string, ClusterChange] => {
      const kept = report.kept.find(({ path }) => isAbout(path, change));
      if (kept === undefined) {
        return [key, { ...change, note: undefined, state: 'restored' as const, restorable: false }];
      }
      const by = kept.by === undefined ? 'somebody else' : kept.by;
      const note = `Was ${kept.was}, is now ${kept.now} by ${by}: left so.`;
      return [key, { ...change, state: 'kept', note, restorable: false }];
    }),
  );
}

/** The path of a kept change is a field of the workload, or an object by kind and name. */
function isAbout(path: string, { object, what }: ClusterChange): boolean {
  return path === what || path === object.replace('/', ' ');
}
