import path from 'node:path';
import type { Instance } from './instance.ts';

/** One process of the cluster: how it is started. The order of the list is that of starting. */
export interface Component {
  readonly name: string;
  readonly command: readonly string[];
  /** Configuration files it reads once, when it starts. */
  readonly reads: readonly string[];
  /** Waits for the API server before it starts: it would only sit in its back-off. */
  readonly needsApiServer: boolean;
}

export const componentNames = [
  'containerd',
  'etcd',
  'kube-apiserver',
  'registry',
  'kubelet',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'dns',
] as const;

export type ComponentName = (typeof componentNames)[number];

/** `binary` is the multi-call program. Files named here are written by configuration.ts. */
export function describeComponents(instance: Instance, binary: string): readonly Component[] {
  const configuration = (name: string) => path.join(instance.stateFolder, 'configuration', name);
  const folder = (name: string) => path.join(instance.stateFolder, name);
  const component = (
    name: ComponentName,
    flags: readonly string[],
    more: Partial<Component> = {},
  ): Component => ({
    name,
    command: [binary, name, ...flags],
    reads: [],
    needsApiServer: true,
    ...more,
  });
  return [
    component('containerd', [], {
      command: ['containerd', '--config', configuration('containerd.toml')],
      reads: [configuration('containerd.toml')],
      needsApiServer: false,
    }),
    component('etcd', etcdFlags(folder('etcd')), { needsApiServer: false }),
    component('kube-apiserver', apiServerFlags(instance), { needsApiServer: false }),
    component('registry', [], {
      command: ['docker-registry', 'serve', configuration('registry.yaml')],
      reads: [configuration('registry.yaml')],
      needsApiServer: false,
    }),
    component('kubelet', kubeletFlags(instance), { reads: [configuration('kubelet.yaml')] }),
    component('kube-controller-manager', controllerManagerFlags(instance)),
    component('kube-scheduler', [
      `--config=${configuration('scheduler.yaml')}`,
      `--bind-address=${instance.nodeAddress}`,
    ]),
    component('kube-proxy', [`--config=${configuration('proxy.yaml')}`], {
      reads: [configuration('proxy.yaml')],
    }),
    component('dns', [configuration('Corefile')], { reads: [configuration('Corefile')] }),
  ];
}

function certificatePath(instance: Instance, file: string): string {
  return path.join(instance.stateFolder, 'certificates', file);
}

export function componentKubeconfig(instance: Instance, component: string): string {
  return path.join(instance.stateFolder, 'configuration', `${component}.kubeconfig`);
}

/** Without fsync etcd is several times faster; a sandbox need not survive a power cut. */
function etcdFlags(dataFolder: string): readonly string[] {
  return [
    '--name=sandbox',
    `--data-dir=${dataFolder}`,
    '--listen-client-urls=http://127.0.0.1:2379',
    '--advertise-client-urls=http://127.0.0.1:2379',
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--initial-advertise-peer-urls=http://127.0.0.1:2380',
    '--initial-cluster=sandbox=http://127.0.0.1:2380',
    '--unsafe-no-fsync',
    '--auto-compaction-mode=periodic',
    '--auto-compaction-retention=30m',
    '--log-level=warn',
  ];
}

function apiServerFlags(instance: Instance): readonly string[] {
  const certificate = (file: string) => certificatePath(instance, file);
  return [
    '--etcd-servers=http://127.0.0.1:2379',
    '--secure-port=6443',
    '--bind-address=0.0.0.0',
    `--advertise-address=${instance.nodeAddress}`,
    `--client-ca-file=${certificate('ca.crt')}`,
    `--tls-cert-file=${certificate('kube-apiserver.crt')}`,
    `--tls-private-key-file=${certificate('kube-apiserver.key')}`,
    `--kubelet-client-certificate=${certificate('kubelet-client.crt')}`,
    `--kubelet-client-key=${certificate('kubelet-client.key')}`,
    `--kubelet-certificate-authority=${certificate('ca.crt')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${certificate('service-account.pub')}`,
    `--service-account-signing-key-file=${certificate('service-account.key')}`,
    `--service-cluster-ip-range=${instance.serviceRange}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

/**
 * With the default rate of 20 requests a second, service accounts and endpoints of a new
 * namespace come seconds late.
 */
function controllerManagerFlags(instance: Instance): readonly string[] {
  const kubeconfig = componentKubeconfig(instance, 'kube-controller-manager');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--authentication-skip-lookup=true',
    `--cluster-signing-cert-file=${certificatePath(instance, 'ca.crt')}`,
    `--cluster-signing-key-file=${certificatePath(instance, 'ca.key')}`,
    `--root-ca-file=${certificatePath(instance, 'ca.crt')}`,
    `--service-account-private-key-file=${certificatePath(instance, 'service-account.key')}`,
    `--bind-address=${instance.nodeAddress}`,
    '--leader-elect=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    '--concurrent-gc-syncs=10',
    '--pvclaimbinder-sync-period=2s',
    '--concurrent-namespace-syncs=10',
    '--enable-hostpath-provisioner=true',
    `--flex-volume-plugin-dir=${path.join(instance.stateFolder, 'volume-plugins')}`,
    '--profiling=false',
  ];
}

function kubeletFlags(instance: Instance): readonly string[] {
  return [
    `--config=${path.join(instance.stateFolder, 'configuration', 'kubelet.yaml')}`,
    `--kubeconfig=${componentKubeconfig(instance, 'kubelet')}`,
    `--root-dir=${path.join(instance.stateFolder, 'kubelet')}`,
    `--cert-dir=${path.join(instance.stateFolder, 'kubelet', 'pki')}`,
    `--node-ip=${instance.nodeAddress}`,
    `--hostname-override=${instance.nodeName}`,
  ];
}
