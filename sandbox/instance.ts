import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SandboxFault } from './fault.ts';

/** Where every instance keeps its state; its parent folder is never removed. */
export const stateRoot = '/var/lib/slipway-sandbox';
/** Sockets and namespaces; short, because a Unix socket's path ends at 107 bytes. */
export const runRoot = '/run/slipway-sandbox';
/** The address plan has room for this many clusters beside one another. */
export const maximumInstances = 16;

/** One cluster: its names, folders and addresses, all of which follow from name and index. */
export interface Instance {
  readonly name: string;
  readonly index: number;
  readonly nodeName: string;
  /** Name of the network namespace, of the cgroup and prefix of the links. */
  readonly label: string;
  readonly stateFolder: string;
  readonly runFolder: string;
  readonly logFolder: string;
  readonly networkNamespace: string;
  readonly mountNamespace: string;
  readonly hostLink: string;
  readonly nodeLink: string;
  readonly bridge: string;
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly linkPrefix: number;
  readonly podRange: string;
  readonly serviceRange: string;
  readonly apiServiceAddress: string;
  readonly dnsServiceAddress: string;
  readonly apiServer: string;
  readonly registry: string;
  readonly kubeconfig: string;
  readonly containerdSocket: string;
}

/** The name comes from SLIPWAY_SANDBOX, so that a test can have a cluster of its own. */
export function instanceName(environment: NodeJS.ProcessEnv = process.env): string {
  const name = environment['SLIPWAY_SANDBOX'] || 'default';
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new SandboxFault(
      `SLIPWAY_SANDBOX is "${name}", which cannot name a sandbox`,
      'Use at most 20 lower-case letters, digits and dashes, beginning with a letter.',
    );
  }
  return name;
}

/** Pods and services get a /20 each, so sixteen instances share 10.244.0.0/16 and 10.96.0.0/16. */
export function describeInstance(name: string, index: number): Instance {
  const label = `slipway-${name}`;
  const stateFolder = path.join(stateRoot, name);
  const runFolder = path.join(runRoot, name);
  const nodeAddress = `198.18.${index}.2`;
  return {
    name,
    index,
    nodeName: label,
    label,
    stateFolder,
    runFolder,
    logFolder: path.join(stateFolder, 'logs'),
    networkNamespace: `/run/netns/${label}`,
    mountNamespace: path.join(runFolder, 'namespaces', 'mount'),
    hostLink: `slipway${index}`,
    nodeLink: 'node0',
    bridge: 'pods0',
    hostAddress: `198.18.${index}.1`,
    nodeAddress,
    linkPrefix: 30,
    podRange: `10.244.${index * 16}.0/20`,
    serviceRange: `10.96.${index * 16}.0/20`,
    apiServiceAddress: `10.96.${index * 16}.1`,
    dnsServiceAddress: `10.96.${index * 16}.10`,
    apiServer: `https://${nodeAddress}:6443`,
    registry: `${nodeAddress}:5000`,
    kubeconfig: path.join(stateFolder, 'kubeconfig'),
    containerdSocket: path.join(runFolder, 'containerd.sock'),
  };
}

/** The instance as recorded, or undefined when it was never brought up. */
export function findInstance(name: string): Instance | undefined {
  const index = readIndex(name);
  return index === undefined ? undefined : describeInstance(name, index);
}

export function existingInstances(): readonly string[] {
  const names = [stateRoot, runRoot].filter(existsSync).flatMap((root) => readdirSync(root));
  return [...new Set(names)].filter((name) => readIndex(name) !== undefined);
}

/**
 * The recorded instance, or a new one with the lowest free index; `default` always has 0, so
 * that its addresses are the same on every machine. Call it holding the lock of all instances.
 */
export function allocateInstance(name: string): Instance {
  const existing = findInstance(name);
  if (existing) return existing;
  const taken = existingInstances().map((other) => readIndex(other));
  const candidates = Array.from({ length: maximumInstances }, (_, index) => index);
  const index = candidates.find((each) => !taken.includes(each) && (each === 0) === (name === 'default'));
  if (index === undefined) {
    throw new SandboxFault(
      `All ${maximumInstances} places for sandboxes are taken: ${existingInstances().join(', ')}`,
      'Take one down: SLIPWAY_SANDBOX=NAME npm run -s sandbox -- down',
    );
  }
  return describeInstance(name, index);
}

/** Takes the place chosen by allocateInstance. */
export function recordInstance(instance: Instance): void {
  for (const folder of [instance.stateFolder, instance.runFolder]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'index'), `${instance.index}\n`);
  }
}

/** Written in two places, so that `down` works when somebody removed one of them by hand. */
function readIndex(name: string): number | undefined {
  const file = [stateRoot, runRoot].map((root) => path.join(root, name, 'index')).find(existsSync);
  if (file === undefined) return undefined;
  const index = Number(readFileSync(file, 'utf8'));
  return Number.isInteger(index) && index >= 0 && index < maximumInstances ? index : undefined;
}
