import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ComponentName } from './components.ts';
import { SandboxFault } from './fault.ts';
import { archivePath, readImageRecord } from './image-store.ts';
import { findInstance, instanceName, type Instance } from './instance.ts';
import { livingPid, processStartTime } from './processes.ts';

export type { ComponentName } from './components.ts';
export { pushImage } from './push.ts';

/**
 * What tests need of the sandbox. Every function takes the instance's name last; without one it
 * is that of SLIPWAY_SANDBOX.
 */
export function sandboxKubeconfigPath(name: string = instanceName()): string {
  return requireInstance(name).kubeconfig;
}

/**
 * Brings the sandbox up or into order, in under a second when it is up already. In a process of
 * its own, so that what runs in the sandbox is not a child of the test.
 */
export function ensureUp(name: string = instanceName()): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), 'up'], {
      env: { ...process.env, SLIPWAY_SANDBOX: name },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-8192)));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`sandbox up: exit code ${code}\n${said}`)),
    );
  });
}

/** The program that is kubectl when called by that name: the oracle of tests, of the cluster's own version. */
export function kubectlProgram(name: string = instanceName()): string {
  return readFileSync(path.join(requireInstance(name).stateFolder, 'program'), 'utf8');
}

/** Addresses, folders and the registry's name of the instance. */
export function requireInstance(name: string = instanceName()): Instance {
  const instance = findInstance(name);
  if (instance) return instance;
  throw new SandboxFault(`Sandbox "${name}" is not up`, 'Start it: npm run -s sandbox -- up');
}

/**
 * The container's root as seen from the host, to look at its files without exec. It is bound to
 * one process: after a restart of the container ask again.
 */
export function containerRoot(namespace: string, pod: string, container: string, name?: string): string {
  return `/proc/${containerPid(namespace, pod, container, name)}/root`;
}

/** Process number, on the host, of the container's first process. */
export function containerPid(namespace: string, pod: string, container: string, name?: string): number {
  const tasks = path.join(
    requireInstance(name).runFolder,
    'containerd',
    'io.containerd.runtime.v2.task',
    'k8s.io',
  );
  const wanted = {
    'io.kubernetes.cri.sandbox-namespace': namespace,
    'io.kubernetes.cri.sandbox-name': pod,
    'io.kubernetes.cri.container-name': container,
    'io.kubernetes.cri.container-type': 'container',
  };
  for (const task of readdirSync(tasks)) {
    const found = readTask(path.join(tasks, task));
    if (!found || processStartTime(found.pid) === undefined) continue;
    if (Object.entries(wanted).every(([key, value]) => found.annotations[key] === value)) return found.pid;
  }
  throw new Error(`no running container "${container}" in pod ${namespace}/${pod}`);
}

interface Task {
  readonly pid: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** containerd keeps each task's runc configuration and process number in its bundle. */
function readTask(bundle: string): Task | undefined {
  try {
    const config = JSON.parse(readFileSync(path.join(bundle, 'config.json'), 'utf8')) as {
      readonly annotations?: Readonly<Record<string, string>>;
    };
    const pid = Number(readFileSync(path.join(bundle, 'init.pid'), 'utf8'));
    return { pid, annotations: config.annotations ?? {} };
  } catch {
    return undefined; // being made or taken away just now
  }
}

/** The node's network namespace, for `nsenter --net=`. */
export function nodeNetns(name?: string): string {
  return requireInstance(name).networkNamespace;
}

/** Process number of a component, for faults: SIGSTOP, SIGCONT, SIGKILL, then `ensureUp()`. */
export function componentPid(component: ComponentName, name?: string): number {
  const pid = livingPid(requireInstance(name), component);
  if (pid !== undefined) return pid;
  throw new Error(`${component} does not run`);
}

/** The archive of a hand-made image by its reference, such as `docker.io/sandbox/web:1`. */
export function imageArchive(reference: string, name?: string): string {
  const keys = readImageRecord(requireInstance(name))?.keys ?? {};
  const key = keys[reference];
  if (key === undefined) throw new Error(`no image ${reference}; there are ${Object.keys(keys).join(', ')}`);
  return archivePath(key);
}
