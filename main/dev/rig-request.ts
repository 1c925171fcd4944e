import type { StartForm } from '../../contract/workloads.ts';
import type { Kube } from '../kube/kube.ts';

/**
 * What the form of a start asks of sync and forwards. The past of the pair is found by cluster, workload and
 * folders, the same as the command line finds it.
 */
export function rigRequest(form: StartForm, kube: Kube) {
  return {
    kube,
    pairs: [
      {
        path: `${form.folder}:${form.containerPath}`,
        strategy: form.strategy,
        exclude: form.excludes,
      },
    ],
    // The folder of a form is absolute.
    workingFolder: '/',
    target: { namespace: form.namespace, name: `${form.kind}/${form.name}`, container: form.container },
    createPath: form.createPath,
  };
}
