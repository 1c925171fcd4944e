import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Bed } from './bed.ts';

/** What the helpers in the container have used so far. */
export interface HelperUse {
  readonly processes: number;
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export function helperUse(bed: Bed): HelperUse {
  const { ino, dev } = statSync(`${bed.root}/`);
  const use = { processes: 0, cpuMs: 0, residentBytes: 0 };
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/.slipway-')) continue;
      const root = statSync(`/proc/${pid}/root/`);
      if (root.ino !== ino || root.dev !== dev) continue;
      use.processes++;
      use.cpuMs += cpuOf(pid);
      const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      use.residentBytes += Number(kib) * 1024;
    } catch {
      // Ended meanwhile.
    }
  }
  return use;
}

/** Time on a processor of all threads, which the kernel counts in nanoseconds. */
function cpuOf(pid: string): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const [ran = '0'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(ran) / 1e6;
  }, 0);
}
