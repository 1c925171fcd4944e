import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinCgroups } from './cgroups.ts';
import type { Instance } from './instance.ts';
import { systemPath } from './requirements.ts';

/** A process is known by its number and its start, because numbers are used again. */
export interface ProcessRecord {
  readonly pid: number;
  /** Clock ticks after boot, field 22 of /proc/PID/stat. */
  readonly startTime: string;
  /** Changes with each boot of the machine. */
  readonly bootId: string;
  /** Of the settings it was started with. */
  readonly fingerprint?: string;
}

/** A log that is bigger when its component starts is put aside as NAME.log.1. */
const logBound = 16 * 1024 * 1024;

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Start time of a living process; undefined when it is gone or only waits to be reaped. */
export function processStartTime(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat && !isZombie(stat.state) ? stat.startTime : undefined;
}

interface ProcessStat {
  readonly state: string;
  readonly startTime: string;
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function isZombie(state: string): boolean {
  return state === 'Z' || state === 'X';
}

/**
 * Whether a process has let go of its files and ports. One that was killed shows as a zombie as
 * soon as its first thread ended, while others may still run and hold them.
 */
function isGone(pid: number, startTime: string): boolean {
  const stat = readStat(pid);
  if (!stat || stat.startTime !== startTime) return true;
  if (!isZombie(stat.state)) return false;
  try {
    return readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}

export function isAlive(record: ProcessRecord): boolean {
  return record.bootId === bootId() && processStartTime(record.pid) === record.startTime;
}

export function readRecord(instance: Instance, component: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordPath(instance, component), 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}

/** The component's process number while it lives. */
export function livingPid(instance: Instance, component: string): number | undefined {
  const record = readRecord(instance, component);
  return record && isAlive(record) ? record.pid : undefined;
}

function recordPath(instance: Instance, component: string): string {
  return path.join(instance.stateFolder, 'processes', `${component}.json`);
}

export interface StartOptions {
  readonly instance: Instance;
  readonly component: string;
  readonly command: readonly string[];
  readonly fingerprint: string;
}

/**
 * Starts a component in the instance's namespaces, detached, with its output in its own log.
 * nsenter replaces itself by the command, so the number recorded is the component's own.
 */
export async function startProcess(options: StartOptions): Promise<number> {
  const { instance, component, fingerprint } = options;
  const log = openLog(instance, component);
  const command = insideNamespaces(instance, options.command);
  const child = spawn(command[0] as string, command.slice(1), {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
    env: { PATH: systemPath(), HOME: '/root' },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  closeSync(log);
  child.unref();
  const pid = child.pid as number;
  joinCgroups(instance, pid);
  const record: ProcessRecord = {
    pid,
    startTime: processStartTime(pid) ?? '',
    bootId: bootId(),
    fingerprint,
  };
  const file = recordPath(instance, component);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(record));
  return pid;
}

/** `ip netns exec` would remount /sys and hide the cgroups, hence nsenter. */
export function insideNamespaces(instance: Instance, command: readonly string[]): readonly string[] {
  return [
    'nsenter',
    `--net=${instance.networkNamespace}`,
    `--mount=${instance.mountNamespace}`,
    '--',
    ...command,
  ];
}

function openLog(instance: Instance, component: string): number {
  mkdirSync(instance.logFolder, { recursive: true });
  const file = path.join(instance.logFolder, `${component}.log`);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBound) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
}

/** Kills a process and waits until it is gone, files, ports and all. */
export async function killProcess(pid: number): Promise<void> {
  const startTime = readStat(pid)?.startTime;
  if (startTime === undefined) return;
  signal(pid, 'SIGKILL');
  await waitUntilGone(pid, startTime);
}

/** Waits for the rest of a component that was killed a moment ago. */
export async function waitForTheDead(instance: Instance, component: string): Promise<void> {
  const record = readRecord(instance, component);
  if (record?.bootId === bootId() && !isAlive(record)) await waitUntilGone(record.pid, record.startTime);
}

async function waitUntilGone(pid: number, startTime: string): Promise<void> {
  for (let waited = 0; waited < 10_000 && !isGone(pid, startTime); waited += 10) await sleep(10);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it ended by itself in the meantime
  }
}

/** Wakes a process that somebody stopped with SIGSTOP; others take no notice. */
export function continueProcess(pid: number): void {
  signal(pid, 'SIGCONT');
}

export function forgetProcess(instance: Instance, component: string): void {
  rmSync(recordPath(instance, component), { force: true });
}

/**
 * Every process that belongs to the instance, recorded or not: those in its network namespace,
 * those in its cgroup (containers have network namespaces of their own), and containerd's shims,
 * which name its socket. This is how `down` finds what a crash left.
 */
export function findProcesses(instance: Instance): readonly number[] {
  const namespace = namespaceInode(instance.networkNamespace);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid && belongsTo(instance, pid, namespace));
}

function belongsTo(instance: Instance, pid: number, namespace: number | undefined): boolean {
  try {
    if (processStartTime(pid) === undefined) return false;
    const inode = Number(/\d+/.exec(readlinkSync(`/proc/${pid}/ns/net`))?.[0]);
    if (namespace !== undefined && inode === namespace) return true;
    const cgroups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n');
    if (cgroups.some((line) => `${line}/`.includes(`:/${instance.label}/`))) return true;
    const [program = '', ...args] = commandLine(pid);
    return program.includes('containerd-shim') && args.includes(instance.containerdSocket);
  } catch {
    return false; // it ended while we looked
  }
}

/** Program and arguments of a process; empty when it is gone. */
export function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** Undefined when nothing is mounted on the file: then it is no namespace, but a left-over. */
export function namespaceInode(file: string): number | undefined {
  const own = statSync('/proc/self/ns/net').dev;
  const found = statSync(file, { throwIfNoEntry: false });
  return found && found.dev === own ? found.ino : undefined;
}
