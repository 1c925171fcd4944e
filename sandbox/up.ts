import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectApi } from './api.ts';
import { ensurePrograms, type Programs } from './binary.ts';
import { tendCache } from './cache.ts';
import { ensureCertificates } from './certificates.ts';
import { createCgroups } from './cgroups.ts';
import { describeComponents, type Component } from './components.ts';
import { writeConfiguration } from './configuration.ts';
import { SandboxFault } from './fault.ts';
import { removeInstance, stopEverything } from './down.ts';
import { findObstacle, installPackages, missingPackages, thisHost } from './requirements.ts';
import { ensureImages } from './image-store.ts';
import { allocateInstance, instanceName, recordInstance, type Instance } from './instance.ts';
import { withLock, type LockOptions } from './lock.ts';
import { createNamespaces, namespacesExist } from './namespaces.ts';
import { applyObjects } from './objects.ts';
import {
  bootId,
  commandLine,
  continueProcess,
  findProcesses,
  livingPid,
  readRecord,
  startProcess,
  killProcess,
  waitForTheDead,
} from './processes.ts';
import { apiServerCheck, ComponentEnded, clusterChecks, waitForChecks } from './readiness.ts';
import { tryRun } from './run.ts';

export interface UpOptions {
  readonly installPackages: boolean;
  /** Begins with an empty cluster; certificates and addresses stay as they were. */
  readonly fresh: boolean;
  readonly say: (line: string) => void;
}

/** Brings the cluster up or back into order, and returns when it can be used. */
export async function up(options: UpOptions): Promise<Instance> {
  const { say } = options;
  const host = thisHost();
  if (options.installPackages && host.platform === 'linux' && host.userId === 0) {
    await installPackages(missingPackages(host), say);
  }
  const obstacle = findObstacle(host);
  if (obstacle) throw obstacle;
  const name = instanceName();
  const programs = await ensurePrograms(say);
  return withLock(instanceLock(name, say), async () => {
    // The lock of all instances is only held while an index is chosen and namespaces are made.
    const instance = await withLock({ name: 'all' }, () => prepareInstance(name, options.fresh));
    try {
      await startCluster(instance, programs, say);
    } catch (error) {
      if (!(error instanceof ComponentEnded)) throw error;
      // It may have been about to end when it was seen alive, from a signal sent just before.
      say(`${error.component} ended; trying once more`);
      await startCluster(instance, programs, say);
    }
    return instance;
  });
}

/** One command at a time on an instance. */
export function instanceLock(name: string, say: (line: string) => void): LockOptions {
  return { name: `instance/${name}`, onWait: () => say(`waiting for another command on sandbox "${name}"`) };
}

async function prepareInstance(name: string, fresh: boolean): Promise<Instance> {
  const instance = allocateInstance(name);
  const marker = path.join(instance.stateFolder, 'boot-id');
  const boot = bootId();
  // etcd runs without fsync, so what a reboot left of its data cannot be trusted.
  const ofThisBoot = existsSync(marker) && readFileSync(marker, 'utf8') === boot;
  if (fresh || !ofThisBoot) await removeInstance(instance, { keepIdentity: true });
  else if (!namespacesExist(instance)) await stopEverything(instance);
  recordInstance(instance);
  writeFileSync(marker, boot);
  await createNamespaces(instance);
  return instance;
}

async function startCluster(
  instance: Instance,
  programs: Programs,
  say: (line: string) => void,
): Promise<void> {
  createCgroups(instance);
  await ensureCertificates(instance, programs.kubernetes);
  writeConfiguration(instance);
  const components = describeComponents(instance, programs.kubernetes);
  writeFileSync(path.join(instance.stateFolder, 'program'), programs.kubernetes);
  const programFolder = path.dirname(programs.kubernetes);
  tendCache(path.dirname(programFolder), [programFolder], new Date());
  const start = (component: Component) => startIfNeeded(instance, component, say);
  for (const component of components.filter((each) => !each.needsApiServer)) await start(component);
  using api = connectApi(instance);
  const imported = ensureImages(instance, programs, containerdAnswers(instance));
  imported.catch(() => {}); // awaited below; until then a failure is not unhandled
  await waitForChecks(instance, [apiServerCheck(api)]);
  for (const component of components.filter((each) => each.needsApiServer)) await start(component);
  await applyObjects(instance, api);
  await Promise.all([imported, waitForChecks(instance, clusterChecks(instance, api))]);
}

/** One that was started by another version of the sandbox, or with other settings, starts anew. */
async function startIfNeeded(
  instance: Instance,
  component: Component,
  say: (line: string) => void,
): Promise<void> {
  const { name, command } = component;
  const pid = livingPid(instance, name);
  const fingerprint = componentFingerprint(instance, component);
  if (pid !== undefined && readRecord(instance, name)?.fingerprint === fingerprint) {
    continueProcess(pid);
    return;
  }
  // Those of this name that no record knows go too: an `up` may have been killed before it wrote.
  const others = findProcesses(instance).filter((each) => runsComponent(each, component));
  for (const each of others) await killProcess(each);
  await waitForTheDead(instance, name);
  say(pid === undefined ? `starting ${name}` : `restarting ${name}: its settings changed`);
  await startProcess({ instance, component: name, command, fingerprint });
}

/** Program and first argument tell the components apart. */
function runsComponent(pid: number, component: Component): boolean {
  const [program = '', argument] = commandLine(pid);
  const [ownProgram = '', ownArgument] = component.command;
  return path.basename(program) === path.basename(ownProgram) && argument === ownArgument;
}

/** New certificates are a change for everyone: nobody would trust anybody otherwise. */
function componentFingerprint(instance: Instance, component: Component): string {
  const hash = createHash('sha256').update(JSON.stringify(component.command));
  const authority = path.join(instance.stateFolder, 'certificates', 'ca.crt');
  for (const file of [authority, ...component.reads]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

async function containerdAnswers(instance: Instance): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const result = await tryRun([
      'ctr',
      '--address',
      instance.containerdSocket,
      '--timeout',
      '2s',
      'version',
    ]);
    if (result.code === 0) return;
    if (livingPid(instance, 'containerd') === undefined) break;
    await sleep(50);
  }
  throw new SandboxFault(
    'containerd does not answer',
    `Read ${path.join(instance.logFolder, 'containerd.log')}, or start over: npm run -s sandbox -- down, then up.`,
  );
}
