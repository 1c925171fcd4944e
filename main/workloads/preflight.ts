import type { Guard } from '../../contract/settings.ts';
import type { PreflightMatrix, WorkloadKey } from '../../contract/workloads.ts';
import { assertNever, isSlipwayError } from '../base/errors.ts';
import { missingRole } from '../kube/access/missing-role.ts';
import { describeRight, type ChannelRights } from '../kube/access/preflight.ts';
import { channels, reachingChannels, type Channel } from '../kube/access/rights.ts';
import type { Identity, Kube } from '../kube/kube.ts';
import type { WorkloadsDependencies } from './dependencies.ts';

/** Which rights each channel needs and whether this user has them. Changes nothing. */
export async function preflightOf(
  dependencies: Pick<WorkloadsDependencies, 'clusters' | 'preflight'>,
  { cluster, namespace, kind, name }: WorkloadKey,
  signal: AbortSignal,
): Promise<PreflightMatrix> {
  const kube = await dependencies.clusters.kube(cluster);
  const [matrix, identity] = await Promise.all([
    dependencies.preflight(kube, {
      namespace,
      kind,
      name,
      channels: kind === 'Deployment' ? channels : reachingChannels,
      signal,
    }),
    identityOf(kube, signal),
  ]);
  return preflightMatrix(matrix, namespace, identity, dependencies.clusters.info(cluster)?.guard);
}

/** The matrix as the window shows it. */
export function preflightMatrix(
  matrix: readonly ChannelRights[],
  namespace: string,
  identity: Identity | undefined,
  guard: Guard | undefined,
): PreflightMatrix {
  const role = missingRole(matrix, namespace, { identity });
  const note = guardNote(guard ?? 'none');
  return {
    channels: matrix.map(({ channel, verdict, rights }) => ({
      channel,
      label: labels[channel],
      verdict,
      rights: rights.map((right) => ({
        right: describeRight(right),
        optional: right.optional,
        answer: right.answer.kind,
        ...(right.answer.kind === 'allowed' ? {} : { reason: right.answer.reason }),
      })),
    })),
    ...(role === undefined ? {} : { missingRole: role }),
    ...(note === undefined ? {} : { guard: note }),
  };
}

const labels: Readonly<Record<Channel, string>> = {
  terminal: 'Open a terminal',
  forward: 'Forward ports',
  logs: 'Read logs',
  sync: 'Sync files',
  replace: 'Replace by a dev pod',
  leftovers: 'Find and restore leftovers',
};

/** What a guard of this app means on top of the cluster's own rights. */
export function guardNote(guard: Guard): string | undefined {
  switch (guard) {
    case 'none':
      return undefined;
    case 'confirm':
      return 'Slipway asks you to type a name before it changes anything in this context, whatever the cluster allows.';
    case 'read-only':
      return 'Slipway treats this context as read-only and refuses every change, whatever the cluster allows. Settings, Clusters changes that.';
    default:
      return assertNever(guard);
  }
}

async function identityOf(kube: Kube, signal: AbortSignal): Promise<Identity | undefined> {
  try {
    return await kube.whoAmI({ signal });
  } catch (error) {
    if (isSlipwayError(error)) return undefined;
    throw error;
  }
}
