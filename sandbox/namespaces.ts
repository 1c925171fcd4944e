import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { existingInstances, runRoot, stateRoot, type Instance } from './instance.ts';
import { insideNamespaces, namespaceInode } from './processes.ts';
import { run, tryRun } from './run.ts';

/**
 * Folders whose place is fixed in the code of kubelet, containerd, libcni and the host-path
 * provisioner. In the instance's mount namespace each is a folder of its own state, so that two
 * instances cannot meet there and nothing is left behind.
 */
const fixedFolders: Readonly<Record<string, string>> = {
  '/var/lib/kubelet': 'kubelet-devices',
  '/var/log/containers': 'container-log-links',
  '/var/lib/cni': 'cni-results',
  '/run/containerd': 'containerd-shims',
  '/tmp/hostpath_pv': 'volumes',
};

const namespaceFolder = '/run/netns';

/** Folders that an instance had to make on the host to have something to mount over. */
const madeFoldersFile = path.join(stateRoot, 'made-folders.json');

export function namespacesExist(instance: Instance): boolean {
  return (
    namespaceInode(instance.networkNamespace) !== undefined &&
    namespaceInode(instance.mountNamespace) !== undefined
  );
}

/** Makes what is missing of network namespace, links, addresses and mount namespace. */
export async function createNamespaces(instance: Instance): Promise<void> {
  if (namespacesExist(instance)) {
    if (!existsSync(`/sys/class/net/${instance.hostLink}`)) await createLinks(instance);
    return;
  }
  await removeNamespaces(instance);
  makeFixedFolders();
  // Not `ip netns add`: that would also mount /run/netns over itself, and leave it so.
  writeFileSync(instance.networkNamespace, '');
  await run(['unshare', `--net=${instance.networkNamespace}`, 'true']);
  await createMountNamespace(instance);
  await createLinks(instance);
}

async function createLinks(instance: Instance): Promise<void> {
  const { hostLink, nodeLink, label } = instance;
  await run(['ip', 'link', 'add', hostLink, 'type', 'veth', 'peer', 'name', nodeLink, 'netns', label]);
  await run(['ip', 'address', 'add', `${instance.hostAddress}/${instance.linkPrefix}`, 'dev', hostLink]);
  await run(['ip', 'link', 'set', hostLink, 'up']);
  // The API server refuses ClusterIPs without a default route; this one leads to the host,
  // which does not forward.
  const commands = [
    `link set lo up`,
    `address add ${instance.nodeAddress}/${instance.linkPrefix} dev ${nodeLink}`,
    `link set ${nodeLink} up`,
    `route add default via ${instance.hostAddress}`,
  ].join('\n');
  await run(['ip', '-netns', label, '-batch', '-'], { input: `${commands}\n` });
  await run(insideNamespaces(instance, ['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']));
}

/**
 * A mount namespace can only be kept by a file on a private mount, so its folder is bound onto
 * itself first. Inside, mounts flow in from the host and never out.
 */
async function createMountNamespace(instance: Instance): Promise<void> {
  const folder = path.dirname(instance.mountNamespace);
  mkdirSync(folder, { recursive: true });
  await run(['mount', '--bind', folder, folder]);
  await run(['mount', '--make-private', folder]);
  writeFileSync(instance.mountNamespace, '');
  await run(['unshare', `--mount=${instance.mountNamespace}`, '--propagation', 'slave', 'true']);
  const steps = ['set -e', 'mount --make-rshared /'];
  for (const [place, name] of Object.entries(fixedFolders)) {
    const own = path.join(instance.stateFolder, 'fixed', name);
    mkdirSync(own, { recursive: true });
    steps.push(`mount --bind '${own}' '${place}'`);
  }
  await run(insideNamespaces(instance, ['sh', '-c', steps.join('\n')]));
}

/** Takes everything away that createNamespaces made; whatever is absent already is no error. */
export async function removeNamespaces(instance: Instance): Promise<void> {
  await tryRun(['ip', 'link', 'delete', instance.hostLink]);
  for (const mount of mountsUnder([instance.runFolder, instance.stateFolder]))
    await tryRun(['umount', '-l', mount]);
  if (namespaceInode(instance.networkNamespace) !== undefined)
    await run(['umount', '-l', instance.networkNamespace]);
  rmSync(instance.networkNamespace, { force: true });
  rmSync(path.dirname(instance.mountNamespace), { recursive: true, force: true });
}

/** Mount points below the folders in the caller's mount namespace, the innermost first. */
export function mountsUnder(folders: readonly string[]): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((place) => folders.some((folder) => place === folder || place.startsWith(`${folder}/`)))
    .reverse();
}

function makeFixedFolders(): void {
  const made = readMadeFolders();
  for (const place of [...Object.keys(fixedFolders), namespaceFolder]) {
    if (existsSync(place)) continue;
    const missing = [place];
    for (let parent = path.dirname(place); !existsSync(parent); parent = path.dirname(parent))
      missing.push(parent);
    mkdirSync(place, { recursive: true });
    made.push(...missing);
  }
  writeFileSync(madeFoldersFile, JSON.stringify(made));
}

/**
 * Removes the host's folders that the sandbox made, with the last instance only: taking a folder
 * away would undo the mounts over it in another instance's namespace.
 */
export function removeFixedFolders(): void {
  if (existingInstances().length > 0) return;
  for (const folder of [...readMadeFolders(), runRoot]) {
    if (statSync(folder, { throwIfNoEntry: false }) && readdirSync(folder).length === 0) removeEmpty(folder);
  }
  rmSync(madeFoldersFile, { force: true });
  removeEmpty(stateRoot);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // in use by something else: then it is not ours to take
  }
}

function readMadeFolders(): string[] {
  return existsSync(madeFoldersFile) ? (JSON.parse(readFileSync(madeFoldersFile, 'utf8')) as string[]) : [];
}
