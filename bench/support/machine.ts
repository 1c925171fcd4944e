import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, release, totalmem } from 'node:os';

/** How long the share of a core is measured. */
const spinMs = 300;

/** How busy the machine is: the load of the last minute, and how much of a core a busy thread gets beside the rest. */
export function conditions(): string {
  const [load = '?'] = readFileSync('/proc/loadavg', 'utf8').split(' ');
  const before = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < spinMs);
  const used = process.cpuUsage(before);
  const share = (used.user + used.system) / 1000 / (performance.now() - start);
  return `load ${load}, a thread gets ${Math.round(share * 100)} % of a core`;
}

/** What was measured on. */
export function machine(chromium?: string): string {
  const [, model = 'unknown processor'] =
    /model name\s*: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  const memory = Math.round(totalmem() / 1024 ** 3);
  return [
    `${availableParallelism()} cores (${model})`,
    `${memory} GiB of memory`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    ...(chromium === undefined ? [] : [`Chromium ${chromium}`]),
    `commit ${commit()}`,
    new Date().toISOString().slice(0, 16).replace('T', ' '),
  ].join(', ');
}

function commit(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
    return git('rev-parse', '--short', 'HEAD') + changed;
  } catch {
    return 'unknown';
  }
}
