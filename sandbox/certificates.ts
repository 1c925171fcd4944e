import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Instance } from './instance.ts';
import { run } from './run.ts';

/** Makes all certificates once; the folder appears in one step, so it is there whole or not at all. */
export async function ensureCertificates(instance: Instance, kubernetes: string): Promise<void> {
  const folder = path.join(instance.stateFolder, 'certificates');
  if (existsSync(folder)) return;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  await run([kubernetes, 'certificates', unfinished], {
    input: JSON.stringify(certificateRequests(instance)),
  });
  renameSync(unfinished, folder);
}

/** Users and groups are those that Kubernetes' own default roles are bound to. */
function certificateRequests(instance: Instance): readonly object[] {
  const serviceNames = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  return [
    { file: 'admin', commonName: 'sandbox-admin', organization: 'system:masters' },
    {
      file: 'kube-apiserver',
      commonName: 'kube-apiserver',
      names: [instance.nodeAddress, instance.apiServiceAddress, '127.0.0.1', 'localhost', ...serviceNames],
    },
    { file: 'kubelet-client', commonName: 'kube-apiserver-kubelet-client', organization: 'system:masters' },
    {
      file: 'kubelet',
      commonName: `system:node:${instance.nodeName}`,
      organization: 'system:nodes',
      names: [instance.nodeAddress, instance.nodeName],
    },
    // Its own role is not enough without a service account per controller, and those make the
    // first start a second slower; so it is an administrator.
    {
      file: 'kube-controller-manager',
      commonName: 'system:kube-controller-manager',
      organization: 'system:masters',
    },
    { file: 'kube-scheduler', commonName: 'system:kube-scheduler' },
    { file: 'kube-proxy', commonName: 'system:kube-proxy' },
    { file: 'dns', commonName: 'sandbox:dns' },
  ];
}
