import type { ApiClient } from './api.ts';
import type { Instance } from './instance.ts';

/**
 * What a cluster's provider brings along: the DNS service, a default storage class, and what
 * the sandbox's own DNS server may read. Applied anew at each `up`, so a deleted one comes back.
 */
export async function applyObjects(instance: Instance, api: ApiClient): Promise<void> {
  await Promise.all(clusterObjects(instance).map(([resource, object]) => api.apply(resource, object)));
}

function clusterObjects(instance: Instance): readonly (readonly [string, object])[] {
  return [...dnsObjects(instance), ...roleObjects(), storageClass];
}

/** The server runs outside the cluster, so its service has no selector but an endpoint set by hand. */
function dnsObjects(instance: Instance): readonly (readonly [string, object])[] {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };
  return [
    [
      '/api/v1/namespaces/kube-system/services/kube-dns',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'kube-dns', namespace: 'kube-system', labels },
        spec: { clusterIP: instance.dnsServiceAddress, ports },
      },
    ],
    [
      '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices/kube-dns-sandbox',
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: 'kube-dns-sandbox',
          namespace: 'kube-system',
          labels: { ...labels, 'kubernetes.io/service-name': 'kube-dns' },
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [instance.nodeAddress], conditions: { ready: true } }],
        ports,
      },
    ],
  ];
}

function roleObjects(): readonly (readonly [string, object])[] {
  const read = ['list', 'watch'];
  return [
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/sandbox:dns',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'sandbox:dns' },
        rules: [
          { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: read },
          { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
        ],
      },
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/sandbox:dns',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'sandbox:dns' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'sandbox:dns' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'sandbox:dns' }],
      },
    ],
  ];
}

const storageClass: readonly [string, object] = [
  '/apis/storage.k8s.io/v1/storageclasses/standard',
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/host-path',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  },
];
