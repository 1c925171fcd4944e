import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeCgroups } from './cgroups.ts';
import { componentNames } from './components.ts';
import type { Instance } from './instance.ts';
import { removeFixedFolders, removeNamespaces } from './namespaces.ts';
import { findProcesses, forgetProcess, livingPid, killProcess } from './processes.ts';

export interface RemoveOptions {
  /** Leaves the certificates and the place among the instances, so that the kubeconfig stays valid. */
  readonly keepIdentity?: boolean;
}

/** Ends every process of the instance and removes all it made but the caches. */
export async function removeInstance(instance: Instance, options: RemoveOptions = {}): Promise<void> {
  await stopEverything(instance);
  await removeNamespaces(instance);
  await removeCgroups(instance);
  rmSync(instance.runFolder, { recursive: true, force: true });
  if (options.keepIdentity) {
    const kept = ['certificates', 'index'];
    mkdirSync(instance.stateFolder, { recursive: true });
    const present = readdirSync(instance.stateFolder);
    for (const entry of present.filter((each) => !kept.includes(each))) {
      rmSync(path.join(instance.stateFolder, entry), { recursive: true, force: true });
    }
  } else {
    rmSync(instance.stateFolder, { recursive: true, force: true });
  }
  removeFixedFolders();
}

/**
 * The recorded components first, the last started before the others, so that none restarts what
 * is being ended; then whatever else is found to belong to the instance. All by SIGKILL: nothing
 * of a sandbox is worth waiting for, and the API server would linger for a minute.
 */
export async function stopEverything(instance: Instance): Promise<void> {
  for (const component of [...componentNames].reverse()) {
    const pid = livingPid(instance, component);
    if (pid !== undefined) await killProcess(pid);
    forgetProcess(instance, component);
  }
  // A process may have forked between the look and the kill, hence again until none is found.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const left = findProcesses(instance);
    if (left.length === 0) return;
    await Promise.all(left.map((pid) => killProcess(pid)));
    await sleep(20);
  }
  throw new Error(
    `processes of sandbox "${instance.name}" cannot be ended: ${findProcesses(instance).join(', ')}`,
  );
}
