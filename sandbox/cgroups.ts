import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from './instance.ts';

/** The instance's cgroup in every hierarchy: one per controller in version 1, one in version 2. */
function cgroupFolders(instance: Instance): readonly string[] {
  return cgroupHierarchies(readFileSync('/proc/self/mounts', 'utf8')).map((root) =>
    path.join(root, instance.label),
  );
}

/** Mount points of the hierarchies that kubelet and runc use; in hybrid mode not the unified one. */
export function cgroupHierarchies(mounts: string): readonly string[] {
  const entries = mounts.split('\n').map((line) => line.split(' '));
  const ofType = (type: string) =>
    entries.filter((each) => each[2] === type).map((each) => each[1] as string);
  const version1 = ofType('cgroup');
  return version1.length > 0 ? version1 : ofType('cgroup2').slice(0, 1);
}

export function createCgroups(instance: Instance): void {
  for (const folder of cgroupFolders(instance)) {
    if (existsSync(folder)) continue;
    delegateControllers(path.dirname(folder));
    mkdirSync(folder);
    delegateControllers(folder);
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
