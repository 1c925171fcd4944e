import { existsSync, readFileSync } from 'node:fs';
import { connectApi } from './api.ts';
import { componentNames } from './components.ts';
import { findInstance, type Instance } from './instance.ts';
import { livingPid, readRecord } from './processes.ts';
import { apiServerCheck, clusterChecks, holds } from './readiness.ts';

export interface Status {
  readonly name: string;
  readonly up: boolean;
  readonly apiServer?: string;
  readonly registry?: string;
  readonly kubeconfig?: string;
  readonly logs?: string;
  readonly components: readonly ComponentStatus[];
  readonly checks: readonly { readonly name: string; readonly holds: boolean }[];
}

export interface ComponentStatus {
  readonly name: string;
  readonly state: 'running' | 'stopped' | 'dead' | 'not started';
  readonly pid?: number;
}

/** Prints the status; the exit code is 0 when everything runs and every check holds. */
export async function reportStatus(name: string, json: boolean): Promise<number> {
  const instance = findInstance(name);
  const status = instance ? await readStatus(instance) : { name, up: false, components: [], checks: [] };
  process.stdout.write(json ? `${JSON.stringify(status, undefined, 2)}\n` : formatStatus(status));
  return status.up ? 0 : 1;
}

export async function readStatus(instance: Instance): Promise<Status> {
  const components = componentNames.map((component) => componentStatus(instance, component));
  const checks = existsSync(instance.kubeconfig) ? await readChecks(instance) : [];
  return {
    name: instance.name,
    up: components.every((each) => each.state === 'running') && checks.every((check) => check.holds),
    apiServer: instance.apiServer,
    registry: instance.registry,
    kubeconfig: instance.kubeconfig,
    logs: instance.logFolder,
    components,
    checks,
  };
}

async function readChecks(instance: Instance): Promise<Status['checks']> {
  using api = connectApi(instance);
  const checks = [apiServerCheck(api), ...clusterChecks(instance, api)];
  return await Promise.all(checks.map(async (check) => ({ name: check.name, holds: await holds(check) })));
}

function componentStatus(instance: Instance, name: string): ComponentStatus {
  if (!readRecord(instance, name)) return { name, state: 'not started' };
  const pid = livingPid(instance, name);
  if (pid === undefined) return { name, state: 'dead' };
  const frozen = /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { name, pid, state: frozen ? 'stopped' : 'running' };
}

export function formatStatus(status: Status): string {
  if (status.components.length === 0) return `sandbox "${status.name}" is not up\n`;
  const lines = [
    `sandbox "${status.name}": ${status.up ? 'up' : 'not in order; "up" repairs it'}`,
    `  API server ${status.apiServer}, registry ${status.registry}`,
    `  kubeconfig ${status.kubeconfig}`,
    `  logs       ${status.logs}`,
    ...status.components.map((each) =>
      `  ${each.name.padEnd(24)} ${each.state.padEnd(11)} ${each.pid ?? ''}`.trimEnd(),
    ),
    ...status.checks.map((each) => `  ${each.name.padEnd(24)} ${each.holds ? 'yes' : 'no'}`),
  ];
  return `${lines.join('\n')}\n`;
}
