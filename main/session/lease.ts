import type { KubernetesObject } from '@kubernetes/client-node';
import { ownsField } from './field-ownership.ts';
import { keys, leaseName, managedByValue, projectLabel } from './names.ts';
import { serializeRecord, type SessionRecord } from './record.ts';
import { timeOf } from './time-of.ts';

export const heartbeatMs = 15_000;
export const leaseDurationMs = 60_000;

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

export function buildLease(record: SessionRecord, run: string, now: number): LeaseObject {
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
      annotations: { ...explainingAnnotations(record), [keys.run]: run },
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
 * `serverNow` is by the same clock.
 */
export function judgeLease(lease: LeaseObject, serverNow: number | undefined): Liveness {
  const renewed = renewedAt(lease);
  if (serverNow === undefined || renewed === undefined) return { kind: 'unsure' };
  const ageMs = Math.max(0, serverNow - renewed);
  return { kind: ageMs > leaseDurationMs ? 'dead' : 'live', ageMs };
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
