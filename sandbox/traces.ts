import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cgroupHierarchies } from './cgroups.ts';
import type { Instance } from './instance.ts';
import { findProcesses } from './processes.ts';
import { run } from './run.ts';

/** All that an instance could leave behind on the host, each list empty when nothing is there. */
export interface Traces {
  readonly processes: readonly number[];
  readonly commandLines: readonly string[];
  readonly mounts: readonly string[];
  readonly namespaces: readonly string[];
  readonly links: readonly string[];
  readonly cgroups: readonly string[];
  readonly folders: readonly string[];
  readonly firewallRules: readonly string[];
}

/** Looks by other means than `down` does where there are any. */
export async function findTraces(instance: Instance): Promise<Traces> {
  const mine = (text: string) =>
    text.includes(instance.label) || text.includes(`slipway-sandbox/${instance.name}`);
  const rules = (await run(['iptables-save'])).split('\n');
  return {
    processes: findProcesses(instance),
    commandLines: commandLines().filter((line) => line.includes(`slipway-sandbox/${instance.name}/`)),
    mounts: allMounts().filter(mine),
    namespaces: (existsSync('/run/netns') ? readdirSync('/run/netns') : []).filter(mine),
    links: (await linkNames()).filter((name) => name === instance.hostLink),
    cgroups: cgroupHierarchies(readFileSync('/proc/self/mounts', 'utf8'))
      .map((root) => path.join(root, instance.label))
      .filter(existsSync),
    folders: [instance.stateFolder, instance.runFolder].filter(existsSync),
    firewallRules: rules.filter((rule) => /KUBE|CNI|198\.18\./.test(rule)),
  };
}

async function linkNames(): Promise<readonly string[]> {
  return (JSON.parse(await run(['ip', '-json', 'link'])) as readonly { readonly ifname: string }[]).map(
    (link) => link.ifname,
  );
}

/** Mounts in any mount namespace of the machine: a namespace that lives on would show here. */
function allMounts(): readonly string[] {
  return everyProcess((pid) => readFileSync(`/proc/${pid}/mounts`, 'utf8')).flatMap((mounts) =>
    mounts.split('\n'),
  );
}

function commandLines(): readonly string[] {
  return everyProcess((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
}

function everyProcess(read: (pid: string) => string): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        return [read(pid)];
      } catch {
        return []; // it ended while we looked
      }
    });
}
