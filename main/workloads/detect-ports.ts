import type { V1Service } from '@kubernetes/client-node';
import type { ContainerSummary, Detected } from '../../contract/workloads.ts';

export interface PortEvidence {
  readonly container: Pick<ContainerSummary, 'name' | 'ports'> | undefined;
  /** Services that lead to the workload's pods. */
  readonly services: readonly V1Service[];
  readonly freePort: (port: number) => Promise<number | undefined>;
}

/** Ports that are offered, at most. */
const maximumPorts = 16;

/** Ports that the container says it listens on, and those that Services lead to; each with a free port of this machine. */
export async function detectPorts({
  container,
  services,
  freePort,
}: PortEvidence): Promise<readonly Detected<{ readonly local: number; readonly remote: number }>[]> {
  const found = remotePorts(container, services);
  const taken = new Set<number>();
  const ports: Detected<{ local: number; remote: number }>[] = [];
  for (const [remote, why] of [...found].slice(0, maximumPorts)) {
    const wanted = localFor(remote);
    const local = await freeBeside(wanted, taken, freePort);
    if (local === undefined) continue;
    taken.add(local);
    const moved = local === wanted ? '' : `; ${wanted} is taken on this machine`;
    ports.push({ value: { local, remote }, why: why + moved });
  }
  return ports;
}

/** Ports below 1024 belong to the system on most machines. */
function localFor(remote: number): number {
  return remote < 1024 ? remote + 8000 : remote;
}

async function freeBeside(
  wanted: number,
  taken: ReadonlySet<number>,
  freePort: PortEvidence['freePort'],
): Promise<number | undefined> {
  let candidate: number | undefined = wanted;
  for (let turn = 0; turn < maximumPorts; turn += 1) {
    candidate = await freePort(candidate);
    if (candidate === undefined || !taken.has(candidate)) return candidate;
    candidate += 1;
    if (candidate > 65_535) return undefined;
  }
  return undefined;
}

/** Remote ports with why, in the order in which they are named. Only TCP can be forwarded. */
export function remotePorts(
  container: PortEvidence['container'],
  services: readonly V1Service[],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const named = new Map((container?.ports ?? []).map(({ name, port }) => [name, port]));
  for (const { port, protocol } of container?.ports ?? []) {
    if (protocol === 'TCP') found.set(port, `container ${container?.name ?? ''} names it`);
  }
  for (const service of services) {
    for (const { port, targetPort, protocol } of service.spec?.ports ?? []) {
      const remote = typeof targetPort === 'string' ? named.get(targetPort) : (targetPort ?? port);
      if (remote === undefined || (protocol ?? 'TCP') !== 'TCP' || found.has(remote)) continue;
      found.set(remote, `Service ${service.metadata?.name ?? ''} leads there`);
    }
  }
  return found;
}
