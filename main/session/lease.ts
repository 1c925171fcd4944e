import type { KubernetesObject } from '@kubernetes/client-node';
import type { ProcessMarks } from '../base/process-marks.ts';
import { ownsField } from './field-ownership.ts';
import { keys, leaseName, managedByValue, projectLabel } from './names.ts';
import { serializeRecord, type SessionRecord } from './record.ts';
import { timeOf } from './time-of.ts';

export const heartbeatMs = 15_000;
export const leaseDurationMs = 60_000;
/**
 * A process writes its Lease before it changes anything else: what it had sent when it was killed has arrived, or has
 * not, by so long after that.
 */
const inFlightMs = 2_000;

export interface LeaseObject extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** `unsure`: the server's own times are not known, so only watching for a renewal can tell. */
export type Liveness =
  | { readonly kind: 'live'; readonly ageMs: number }
  | { readonly kind: 'dead'; readonly ageMs: number }
  | { readonly kind: 'unsure' };

/** Who renews a Lease: a random name of this holding, and the mark of the process where there is one. */
export interface LeaseHolder {
  readonly run: string;
  readonly mark: string | undefined;
}

export function buildLease(record: SessionRecord, holder: LeaseHolder, now: number): LeaseObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: leaseName(record.target.kind, record.target.name),
      namespace: record.namespace,
      labels: {
        [keys.managedBy]: managedByValue,
        [keys.session]: record.session,
        [keys.project]: projectLabel(record.project),
      },
      annotations: {
        ...explainingAnnotations(record),
        [keys.run]: holder.run,
        ...(holder.mark === undefined ? {} : { [keys.process]: processNote(holder.run, holder.mark) }),
      },
    },
    spec: {
      holderIdentity: holderIdentity(record.user, record.machine),
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: microTime(now),
      renewTime: microTime(now),
      leaseTransitions: 1,
    },
  };
}

/** What says to people and to a restore from elsewhere what a session did. The same on Lease and dev object. */
export function explainingAnnotations(record: SessionRecord): Record<string, string> {
  return {
    [keys.user]: record.user,
    [keys.machine]: record.machine,
    [keys.createdAt]: record.createdAt,
    [keys.target]: `${record.target.kind}/${record.target.name}`,
    [keys.changes]: serializeRecord(record),
  };
}

/** Names the run too: a version that knows nothing of marks leaves this one behind when it takes a Lease over. */
export function processNote(run: string, mark: string): string {
  return `${run}/${mark}`;
}

export function holderIdentity(user: string, machine: string): string {
  return `${user}@${machine}`;
}

/** The six decimals that a Lease's times have. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}

/**
 * Whether somebody still renews the Lease. `renewTime` is by the clock of the holder's laptop and ours may be
 * wrong as well, so neither counts: the server notes in `managedFields` when a manager last wrote a field, and
 * `serverNow` is by the same clock. With `processes` a holder that was killed on this very machine is dead at once;
 * whatever cannot be proved there takes its minute.
 */
export function judgeLease(
  lease: LeaseObject,
  serverNow: number | undefined,
  processes?: Pick<ProcessMarks, 'hasEnded'>,
): Liveness {
  const renewed = renewedAt(lease);
  if (serverNow === undefined || renewed === undefined) return { kind: 'unsure' };
  const ageMs = Math.max(0, serverNow - renewed);
  const dead = ageMs > leaseDurationMs || (ageMs > inFlightMs && hasEnded(lease, processes));
  return { kind: dead ? 'dead' : 'live', ageMs };
}

function hasEnded({ metadata }: LeaseObject, processes: Pick<ProcessMarks, 'hasEnded'> | undefined): boolean {
  const { [keys.run]: run = '', [keys.process]: note = '' } = metadata?.annotations ?? {};
  const prefix = processNote(run, '');
  return run !== '' && note.startsWith(prefix) && processes?.hasEnded(note.slice(prefix.length)) === true;
}

/**
 * When `renewTime` was last written, by the server's clock. A label that somebody adds does not count. A Lease without
 * a `renewTime` was written by no session, or its next heartbeat writes it again: whoever wrote anything of it last
 * counts then, so that watching such a one does not keep everybody waiting.
 */
function renewedAt(lease: LeaseObject): number | undefined {
  const never = lease.spec?.renewTime === undefined;
  const times = (lease.metadata?.managedFields ?? [])
    .filter((entry) => never || ownsField(entry, ['spec', 'renewTime']))
    .flatMap((entry) => timeOf(entry.time) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}
