import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { SandboxFault } from './fault.ts';
import { run } from './run.ts';

interface Requirement {
  /** A program that the package brings: a name looked up on PATH, or an absolute path. */
  readonly program: string;
  /** Debian's package. */
  readonly package: string;
}

/** Folder of Debian's CNI plugins. */
export const cniPluginFolder = '/usr/lib/cni';

const requirements: readonly Requirement[] = [
  { program: 'containerd', package: 'containerd' },
  { program: 'ctr', package: 'containerd' },
  { program: 'runc', package: 'runc' },
  { program: path.join(cniPluginFolder, 'bridge'), package: 'containernetworking-plugins' },
  { program: 'iptables', package: 'iptables' },
  { program: 'conntrack', package: 'conntrack' },
  { program: 'docker-registry', package: 'docker-registry' },
  { program: '/bin/busybox', package: 'busybox-static' },
  { program: 'ip', package: 'iproute2' },
  { program: 'nsenter', package: 'util-linux' },
  { program: 'mount', package: 'mount' },
  { program: 'tar', package: 'tar' },
];

/** What Go and Node call the processor kinds the sandbox was made for. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export function goArchitecture(): string {
  return architectures[process.arch] ?? process.arch;
}

/** Debian's tools live in sbin, which is not on everybody's PATH. */
export function systemPath(environment: NodeJS.ProcessEnv = process.env): string {
  return [environment['PATH'], '/usr/local/sbin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
    .filter(Boolean)
    .join(':');
}

export interface Host {
  readonly platform: string;
  readonly architecture: string;
  readonly userId: number | undefined;
  readonly hasProgram: (program: string) => boolean;
}

export function thisHost(): Host {
  return {
    platform: process.platform,
    architecture: process.arch,
    userId: process.getuid?.(),
    hasProgram: (program) => findProgram(program, systemPath()) !== undefined,
  };
}

/** The first thing in the way, or undefined when a sandbox can run here. */
export function findObstacle(host: Host): SandboxFault | undefined {
  if (host.platform !== 'linux') {
    return new SandboxFault(
      `The sandbox needs Linux: it uses network namespaces and runc, and this is ${host.platform}`,
      'Run it in a Linux virtual machine; Slipway itself works with any cluster of yours.',
    );
  }
  if (!(host.architecture in architectures)) {
    return new SandboxFault(
      `The sandbox is made for x86-64 and ARM64, and this machine is ${host.architecture}`,
      'Use a machine of one of these kinds.',
    );
  }
  if (host.userId !== 0) {
    return new SandboxFault(
      'The sandbox needs root: it makes network namespaces, mounts and cgroups',
      'Run the same command as root, for instance with "sudo -E".',
    );
  }
  const packages = missingPackages(host);
  if (packages.length === 0) return undefined;
  return new SandboxFault(
    `These Debian packages are missing: ${packages.join(' ')}`,
    `Install them: apt-get install --no-install-recommends ${packages.join(' ')}\n` +
      '(or let it be done: npm run -s sandbox -- up --install-packages)',
  );
}

export function missingPackages(host: Host): readonly string[] {
  const missing = requirements.filter((each) => !host.hasProgram(each.program));
  return [...new Set(missing.map((each) => each.package))];
}

/**
 * Installs what is missing. RUNLEVEL=1 asks Debian's invoke-rc.d not to start the packages' own
 * containerd and registry; where systemd starts them all the same, they are idle and harmless.
 */
export async function installPackages(
  packages: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  if (packages.length === 0) return;
  say(`installing ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  try {
    await run(['apt-get', 'update', '-qq'], { env });
    await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
  } catch (error) {
    throw new SandboxFault(
      `apt-get could not install the packages: ${(error as Error).message}`,
      'Look at the message above; the sandbox expects Debian 12 or newer, or an Ubuntu with these packages.',
      error,
    );
  }
}

export function findProgram(program: string, searchPath: string): string | undefined {
  const candidates = path.isAbsolute(program)
    ? [program]
    : searchPath.split(':').map((folder) => path.join(folder, program));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
