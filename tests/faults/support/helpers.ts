import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The helpers that run in the container of this root now, by their process numbers on the host. */
export function helperProcesses(root: string): number[] {
  const wanted = statSync(`${root}/`, { bigint: true });
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/.slipway-')) return false;
        const own = statSync(`/proc/${pid}/root/`, { bigint: true });
        return own.ino === wanted.ino && own.dev === wanted.dev;
      } catch {
        return false;
      }
    });
}

/** Resident memory of a process in MiB; undefined when it is gone. */
export function memoryOf(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return undefined;
  }
}

/** How many files and sockets a process has open; undefined when it is gone. */
export function descriptorsOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

/** The folders that helpers made in a container. */
export function helperFolders(root: string): string[] {
  return ['tmp', 'dev/shm', 'var/tmp', 'root'].flatMap((base) => {
    try {
      return readdirSync(join(root, base))
        .filter((name) => name.startsWith('.slipway-'))
        .map((name) => join(root, base, name));
    } catch {
      return [];
    }
  });
}
