/** What can be developed on. Without the parser, so that a window can have them. */
export const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'Pod'] as const;
export type WorkloadKind = (typeof workloadKinds)[number];
