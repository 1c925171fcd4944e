import type { ResourceType } from './kube.ts';

function core(plural: string, kind: string, namespaced = true): ResourceType {
  return { group: '', version: 'v1', plural, kind, namespaced };
}

function grouped(group: string, version: string, plural: string, kind: string): ResourceType {
  return { group, version, plural, kind, namespaced: true };
}

export const resourceTypes = {
  namespace: core('namespaces', 'Namespace', false),
  node: core('nodes', 'Node', false),
  pod: core('pods', 'Pod'),
  service: core('services', 'Service'),
  event: core('events', 'Event'),
  resourceQuota: core('resourcequotas', 'ResourceQuota'),
  limitRange: core('limitranges', 'LimitRange'),
  persistentVolumeClaim: core('persistentvolumeclaims', 'PersistentVolumeClaim'),
  deployment: grouped('apps', 'v1', 'deployments', 'Deployment'),
  statefulSet: grouped('apps', 'v1', 'statefulsets', 'StatefulSet'),
  replicaSet: grouped('apps', 'v1', 'replicasets', 'ReplicaSet'),
  daemonSet: grouped('apps', 'v1', 'daemonsets', 'DaemonSet'),
  job: grouped('batch', 'v1', 'jobs', 'Job'),
  cronJob: grouped('batch', 'v1', 'cronjobs', 'CronJob'),
  horizontalPodAutoscaler: grouped(
    'autoscaling',
    'v2',
    'horizontalpodautoscalers',
    'HorizontalPodAutoscaler',
  ),
  lease: grouped('coordination.k8s.io', 'v1', 'leases', 'Lease'),
} as const satisfies Record<string, ResourceType>;
