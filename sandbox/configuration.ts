import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { componentKubeconfig } from './components.ts';
import type { Instance } from './instance.ts';
import { pauseImage } from './image-recipes.ts';
import { cniPluginFolder } from './requirements.ts';

/** Writes every component's configuration; certificates have to be there already. */
export function writeConfiguration(instance: Instance): void {
  const folder = path.join(instance.stateFolder, 'configuration');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, contents: string) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeIfChanged(file, contents);
  };
  write('containerd.toml', containerdConfiguration(instance));
  write('cni/10-pods.conflist', networkConfiguration(instance));
  for (const host of [instance.registry, '127.0.0.1:5000', 'localhost:5000']) {
    write(`registries/${host}/hosts.toml`, registryHost(host));
  }
  write('registry.yaml', registryConfiguration(instance));
  write('kubelet.yaml', kubeletConfiguration(instance));
  write('scheduler.yaml', schedulerConfiguration(instance));
  write('proxy.yaml', proxyConfiguration(instance));
  write('Corefile', corefile(instance));
  for (const user of ['kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'dns']) {
    writeIfChanged(componentKubeconfig(instance, user), kubeconfig(instance, user));
  }
  writeIfChanged(instance.kubeconfig, kubeconfig(instance, 'admin'));
}

/** kube-proxy watches its file and ends when it is written to, be it with the same words. */
function writeIfChanged(file: string, contents: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== contents)
    writeFileSync(file, contents, { mode: 0o600 });
}

/** A kubeconfig with everything inside, so that it can be copied somewhere else. */
function kubeconfig(instance: Instance, user: string): string {
  const data = (file: string) =>
    readFileSync(path.join(instance.stateFolder, 'certificates', file)).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${instance.label}
    cluster:
      server: ${instance.apiServer}
      certificate-authority-data: ${data('ca.crt')}
users:
  - name: ${instance.label}-${user}
    user:
      client-certificate-data: ${data(`${user}.crt`)}
      client-key-data: ${data(`${user}.key`)}
contexts:
  - name: ${instance.label}
    context:
      cluster: ${instance.label}
      user: ${instance.label}-${user}
current-context: ${instance.label}
`;
}

/**
 * restrict_oom_score_adj: without CAP_SYS_RESOURCE (in many containers and micro-VMs) runc may
 * not lower it, and no pod would start.
 */
function containerdConfiguration(instance: Instance): string {
  const { stateFolder, runFolder } = instance;
  return `version = 2
root = "${stateFolder}/containerd"
state = "${runFolder}/containerd"
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp",
]
[grpc]
  address = "${instance.containerdSocket}"
[ttrpc]
  address = "${runFolder}/containerd.ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPluginFolder}"
    conf_dir = "${stateFolder}/configuration/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${stateFolder}/configuration/registries"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
}

function networkConfiguration(instance: Instance): string {
  return JSON.stringify(
    {
      cniVersion: '0.4.0',
      name: 'pods',
      plugins: [
        {
          type: 'bridge',
          bridge: instance.bridge,
          isGateway: true,
          ipMasq: true,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            dataDir: path.join(instance.stateFolder, 'addresses'),
            ranges: [[{ subnet: instance.podRange }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    },
    undefined,
    2,
  );
}

function registryHost(host: string): string {
  return `server = "http://${host}"

[host."http://${host}"]
  capabilities = ["pull", "resolve", "push"]
`;
}

function registryConfiguration(instance: Instance): string {
  return `version: 0.1
log:
  level: warn
storage:
  filesystem:
    rootdirectory: ${path.join(instance.stateFolder, 'registry')}
  delete:
    enabled: true
http:
  addr: :5000
`;
}

/**
 * Pods and containers get cgroups below the instance's own, so limits hold and `down` finds them.
 * The image and disk thresholds are low: the sandbox shares its disk with everything else.
 */
function kubeletConfiguration(instance: Instance): string {
  const certificate = (file: string) => path.join(instance.stateFolder, 'certificates', file);
  return `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ${instance.nodeAddress}
authentication:
  anonymous:
    enabled: false
  webhook:
    enabled: true
  x509:
    clientCAFile: ${certificate('ca.crt')}
authorization:
  mode: Webhook
tlsCertFile: ${certificate('kubelet.crt')}
tlsPrivateKeyFile: ${certificate('kubelet.key')}
containerRuntimeEndpoint: unix://${instance.containerdSocket}
cgroupDriver: cgroupfs
cgroupRoot: /${instance.label}
clusterDomain: cluster.local
clusterDNS: ["${instance.dnsServiceAddress}"]
healthzBindAddress: ${instance.nodeAddress}
failSwapOn: false
oomScoreAdj: 0
podLogsDir: ${path.join(instance.stateFolder, 'pod-logs')}
volumePluginDir: ${path.join(instance.stateFolder, 'volume-plugins')}
resolvConf: ""
evictionHard:
  memory.available: 50Mi
  nodefs.available: 1%
  imagefs.available: 1%
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
serializeImagePulls: false
syncFrequency: 10s
fileCheckFrequency: 20s
kubeAPIQPS: 100
kubeAPIBurst: 200
registryPullQPS: 0
eventRecordQPS: 0
shutdownGracePeriod: 0s
`;
}

function schedulerConfiguration(instance: Instance): string {
  return `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
clientConnection:
  kubeconfig: ${componentKubeconfig(instance, 'kube-scheduler')}
  qps: 200
  burst: 400
`;
}

/** Connection tracking limits belong to the whole machine, so kube-proxy leaves them alone. */
function proxyConfiguration(instance: Instance): string {
  return `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: ${instance.podRange}
hostnameOverride: ${instance.nodeName}
bindAddress: 0.0.0.0
healthzBindAddress: ${instance.nodeAddress}:10256
metricsBindAddress: 127.0.0.1:10249
oomScoreAdj: 0
clientConnection:
  kubeconfig: ${componentKubeconfig(instance, 'kube-proxy')}
conntrack:
  maxPerCore: 0
  min: 0
  tcpEstablishedTimeout: 0s
  tcpCloseWaitTimeout: 0s
iptables:
  minSyncPeriod: 100ms
`;
}

/**
 * There is nothing to forward to: names outside the cluster do not exist, at once. And no cache:
 * all answers are in memory anyway, and "no such name" would outlive the making of a service.
 */
function corefile(instance: Instance): string {
  return `.:53 {
    bind ${instance.nodeAddress}
    errors
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        kubeconfig ${componentKubeconfig(instance, 'dns')}
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 5
    }
    template ANY ANY . {
        rcode NXDOMAIN
    }
}
`;
}
