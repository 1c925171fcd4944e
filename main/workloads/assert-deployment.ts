import type { WorkloadKey } from '../../contract/workloads.ts';
import { SlipwayError } from '../base/errors.ts';

/** Only a Deployment can be replaced by a dev pod. */
export function assertDeployment({ kind, name }: WorkloadKey): void {
  if (kind === 'Deployment') return;
  throw new SlipwayError({
    code: 'workload.unsupported',
    message: `A session on ${kind} ${name} is not possible.`,
    cause: 'Only Deployments can be replaced by a dev pod.',
    next: 'Open its terminal, logs or ports instead: these replace nothing.',
  });
}
