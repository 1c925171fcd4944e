import type { V1Container, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { ContainerSummary } from '../../contract/workloads.ts';

/** The containers of a pod spec as the page of a workload shows them. Values of variables are never part of it. */
export function containerSummaries(spec: V1PodSpec | undefined): readonly ContainerSummary[] {
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  return (spec?.containers ?? []).map((container) => summaryOf(container, volumes));
}

function summaryOf(container: V1Container, volumes: ReadonlyMap<string, V1Volume>): ContainerSummary {
  return {
    name: container.name,
    image: container.image ?? '',
    command: [...(container.command ?? []), ...(container.args ?? [])].map(shown).join(' '),
    ...(container.workingDir === undefined ? {} : { workingDir: container.workingDir }),
    ports: (container.ports ?? []).map(({ name, containerPort, protocol }) => ({
      ...(name === undefined ? {} : { name }),
      port: containerPort,
      protocol: protocol ?? 'TCP',
    })),
    env: (container.env ?? []).length + (container.envFrom ?? []).length,
    mounts: (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
      path: mountPath,
      source: sourceOf(volumes.get(name)),
      readOnly: readOnly === true,
    })),
    requests: amounts(container.resources?.requests),
    limits: amounts(container.resources?.limits),
  };
}

function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

function amounts(values: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(values ?? {})
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ');
}

function sourceOf(volume: V1Volume | undefined): string {
  if (volume === undefined) return 'unknown volume';
  if (volume.configMap !== undefined) return `ConfigMap ${volume.configMap.name ?? ''}`;
  if (volume.secret !== undefined) return `Secret ${volume.secret.secretName ?? ''}`;
  if (volume.persistentVolumeClaim !== undefined) {
    return `PersistentVolumeClaim ${volume.persistentVolumeClaim.claimName}`;
  }
  if (volume.hostPath !== undefined) return `folder ${volume.hostPath.path} of the node`;
  if (volume.emptyDir !== undefined) return 'emptyDir';
  const kind = Object.keys(volume).find((key) => key !== 'name');
  return kind === undefined ? volume.name : `${kind} ${volume.name}`;
}
