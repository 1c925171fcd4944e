import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from './instance.ts';

/**
 * Mount points of all hierarchies: one per controller in version 1, one in version 2, and both
 * kinds in hybrid mode, where runc makes its cgroups in the empty version 2 hierarchy as well.
 */
export function cgroupHierarchies(mounts: string): readonly string[] {
  return mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .map(([, place]) => place ?? '');
}

/** The instance's cgroup in every hierarchy; the pods' are below it. */
function cgroupFolders(instance: Instance): readonly string[] {
  return cgroupHierarchies(readFileSync('/proc/self/mounts', 'utf8')).map((root) =>
    path.join(root, instance.label),
  );
}

export function createCgroups(instance: Instance): void {
  for (const folder of cgroupFolders(instance)) {
    if (existsSync(folder)) continue;
    delegateControllers(path.dirname(folder));
    mkdirSync(folder);
    delegateControllers(folder);
  }
}

/**
 * Moves a component out of the cgroup of whoever called `up`: a CI job or a login session ends
 * by killing its cgroup, and the sandbox is to live on.
 */
export function joinCgroups(instance: Instance, pid: number): void {
  for (const folder of cgroupFolders(instance)) {
    const own = path.join(folder, 'components');
    try {
      mkdirSync(own, { recursive: true });
      writeFileSync(path.join(own, 'cgroup.procs'), `${pid}`);
    } catch {
      // version 1's cpuset takes nobody before its processors are set; nothing is lost there
    }
  }
}

/** Version 2 only: a child has the controllers that its parent hands down. */
function delegateControllers(folder: string): void {
  const file = path.join(folder, 'cgroup.controllers');
  if (!existsSync(file)) return;
  for (const controller of readFileSync(file, 'utf8').trim().split(' ')) {
    try {
      writeFileSync(path.join(folder, 'cgroup.subtree_control'), `+${controller}`);
    } catch {
      // held by something else; kubelet says which controller it misses
    }
  }
}

/** A cgroup can be removed when its last process is gone, which takes the kernel a moment. */
export async function removeCgroups(instance: Instance): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (cgroupFolders(instance).every(removeTree)) return;
    await sleep(20);
  }
}

function removeTree(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const removed = children.map((child) => removeTree(path.join(folder, child.name)));
  if (removed.includes(false)) return false;
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
