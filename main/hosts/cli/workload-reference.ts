import { SlipwayError } from '../../base/errors.ts';

/** Which workload a command speaks of, as `kubectl` names it. */
export interface WorkloadReference {
  readonly kind: string;
  readonly name: string;
}

const kindsByName: ReadonlyMap<string, string> = new Map(
  (
    [
      ['Deployment', ['deploy', 'deployment', 'deployments', 'deployment.apps', 'deployments.apps']],
      ['StatefulSet', ['sts', 'statefulset', 'statefulsets', 'statefulset.apps', 'statefulsets.apps']],
      ['DaemonSet', ['ds', 'daemonset', 'daemonsets', 'daemonset.apps', 'daemonsets.apps']],
      ['ReplicaSet', ['rs', 'replicaset', 'replicasets', 'replicaset.apps', 'replicasets.apps']],
      ['Job', ['job', 'jobs', 'job.batch', 'jobs.batch']],
      ['CronJob', ['cj', 'cronjob', 'cronjobs', 'cronjob.batch', 'cronjobs.batch']],
      ['Pod', ['po', 'pod', 'pods']],
    ] as const
  ).flatMap(([kind, names]) => names.map((name) => [name, kind] as const)),
);

/** A DNS subdomain, which every workload's name is. */
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Reads `deploy/web`, `deployments.apps/web` or plain `web` (a Deployment). */
export function parseWorkloadReference(text: string): WorkloadReference {
  const parts = text.split('/');
  const kind = parts.length === 1 ? 'Deployment' : kindsByName.get((parts[0] ?? '').toLowerCase());
  const name = parts.at(-1) ?? '';
  if (kind === undefined || parts.length > 2 || !objectName.test(name)) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: `"${text}" does not name a workload.`,
      cause: 'A workload is written KIND/NAME with a kind that kubectl knows and a valid object name.',
      next: 'Write it like deploy/web; "slipway list workloads -n NAMESPACE" shows what there is.',
    });
  }
  return { kind, name };
}
