import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names processes of this running system for others that may ask later whether one has ended. A mark says nothing to
 * anybody else, and nothing about the machine once it was started anew.
 */
export interface ProcessMarks {
  /** Of this process; undefined where the system does not tell enough to make one. */
  readonly own: string | undefined;
  /**
   * Whether the process of that mark has ended for certain. False for a process of another machine, of another start
   * of this one or of another container, and wherever it cannot be told.
   */
  hasEnded(mark: string): boolean;
}

/** What is asked of the system; Linux answers all of it. */
export interface ProcessSystem {
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  /** Content of a file, undefined when it cannot be read. */
  read(path: string): string | undefined;
  /** Where a symbolic link leads, undefined when it cannot be read. */
  follow(path: string): string | undefined;
  /** `gone` only when the system says that there is no process of that number; nobody else's answer is that. */
  look(pid: number): 'there' | 'gone';
}

/** `<where>.<process id>.<start in clock ticks>` */
const markPattern = /^([0-9a-f]{32})\.([1-9]\d{0,9})\.(\d{1,20})$/;

/**
 * Where a process number means the same process: this machine since it was started, and there the same namespaces of
 * process numbers and of times. Hashed, so that what is written elsewhere tells no machine's identity.
 */
function placeOf(system: ProcessSystem): string | undefined {
  if (system.platform !== 'linux') return undefined;
  const parts = [
    system.read('/etc/machine-id') ?? system.read('/var/lib/dbus/machine-id'),
    system.read('/proc/sys/kernel/random/boot_id'),
    system.follow('/proc/self/ns/pid'),
    system.follow('/proc/self/ns/time'),
  ].map((part) => part?.trim());
  const [machine = '', boot = '', pids = '', times = ''] = parts;
  // A machine that was never set up has no identity of its own yet.
  if (!/^[0-9a-f]{32}$/.test(machine) || boot === '' || pids === '' || times === '') return undefined;
  return createHash('sha256')
    .update(JSON.stringify(['slipway', machine, boot, pids, times]))
    .digest('hex')
    .slice(0, 32);
}

interface ProcessLook {
  readonly state: string;
  readonly threads: number;
  readonly start: string;
}

function statOf(system: ProcessSystem, pid: number): ProcessLook | undefined {
  const text = system.read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, parentheses too.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state = '', threads = '', start = ''] = [fields[0], fields[17], fields[19]];
  return /^\d+$/.test(threads) && /^\d+$/.test(start)
    ? { state, threads: Number(threads), start }
    : undefined;
}

export function createProcessMarks(system: ProcessSystem = ownSystem): ProcessMarks {
  const place = placeOf(system);
  const start = statOf(system, system.pid)?.start;
  return {
    own: place === undefined || start === undefined ? undefined : `${place}.${system.pid}.${start}`,
    hasEnded(mark) {
      const [, where, pid, began] = markPattern.exec(mark) ?? [];
      if (place === undefined || where !== place) return false;
      const number = Number(pid);
      if (system.look(number) === 'gone') return true;
      const now = statOf(system, number);
      if (now === undefined) return false;
      // Its number is another process's by now.
      if (now.start !== began) return true;
      // Killed, and whoever started it has not taken note: nothing of it runs any more.
      return (now.state === 'Z' || now.state === 'X') && now.threads <= 1;
    },
  };
}

/** The system that this process runs on. */
export const ownSystem: ProcessSystem = {
  pid: process.pid,
  platform: process.platform,
  read: (path) => orUndefined(() => readFileSync(path, 'utf8')),
  follow: (path) => orUndefined(() => readlinkSync(path)),
  look(pid) {
    try {
      process.kill(pid, 0);
      return 'there';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'there';
    }
  },
};

function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
