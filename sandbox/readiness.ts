import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api.ts';
import type { ComponentName } from './components.ts';
import { SandboxFault } from './fault.ts';
import type { Instance } from './instance.ts';
import { livingPid } from './processes.ts';

/** One thing that has to hold before `up` returns. */
export interface Check {
  readonly name: string;
  /** Without this component it can never hold. */
  readonly component: ComponentName;
  readonly holds: () => Promise<boolean>;
}

/** A start takes seconds; after this something is wrong, and waiting on would not better it. */
const deadlineMilliseconds = 90_000;

export function apiServerCheck(api: ApiClient): Check {
  return {
    name: 'API server ready',
    component: 'kube-apiserver',
    holds: async () => (await api.request('GET', '/readyz')).status === 200,
  };
}

export function clusterChecks(instance: Instance, api: ApiClient): readonly Check[] {
  const exists = (resource: string) => async () => (await api.request('GET', resource)).status === 200;
  const healthy = (place: string, scheme: 'http' | 'https' = 'http') => {
    const url = `${scheme}://${instance.nodeAddress}:${place}`;
    return async () => (await httpStatus(url)) === 200;
  };
  return [
    { name: 'registry answers', component: 'registry', holds: healthy('5000/v2/') },
    { name: 'kubelet healthy', component: 'kubelet', holds: healthy('10248/healthz') },
    { name: 'node Ready', component: 'kubelet', holds: () => nodeIsReady(instance, api) },
    { name: 'scheduler healthy', component: 'kube-scheduler', holds: healthy('10259/healthz', 'https') },
    {
      name: 'controllers healthy',
      component: 'kube-controller-manager',
      holds: healthy('10257/healthz', 'https'),
    },
    { name: 'services routed', component: 'kube-proxy', holds: healthy('10256/healthz') },
    {
      name: 'default service account',
      component: 'kube-controller-manager',
      holds: exists('/api/v1/namespaces/default/serviceaccounts/default'),
    },
    {
      name: 'default storage class',
      component: 'kube-apiserver',
      holds: exists('/apis/storage.k8s.io/v1/storageclasses/standard'),
    },
    { name: 'DNS answers', component: 'dns', holds: () => dnsAnswers(instance) },
  ];
}

/** Waits for each check, and gives up early, with the log's end, when its component ended. */
export async function waitForChecks(instance: Instance, checks: readonly Check[]): Promise<void> {
  const deadline = Date.now() + deadlineMilliseconds;
  const waiting = new Set(checks);
  while (waiting.size > 0) {
    await Promise.all(
      [...waiting].map(async (check) => {
        if (await holds(check)) waiting.delete(check);
        else if (livingPid(instance, check.component) === undefined)
          throw new ComponentEnded(instance, check);
        else if (Date.now() > deadline)
          throw new SandboxFault(...explain(instance, check, `took over ${deadlineMilliseconds / 1000} s`));
      }),
    );
    if (waiting.size > 0) await sleep(30);
  }
}

/** An error means not yet: nothing listens, or it does not answer in time. */
export async function holds(check: Check): Promise<boolean> {
  try {
    return await check.holds();
  } catch {
    return false;
  }
}

/** A component that was running when the waiting began, and ended in the course of it. */
export class ComponentEnded extends SandboxFault {
  readonly component: ComponentName;

  constructor(instance: Instance, check: Check) {
    super(...explain(instance, check, 'ended'));
    this.component = check.component;
  }
}

/** Message and next step. */
function explain(instance: Instance, check: Check, what: string): [string, string] {
  const log = path.join(instance.logFolder, `${check.component}.log`);
  return [
    `"${check.name}" does not hold: ${check.component} ${what}. The end of its log:\n${lastLines(log, 8)}`,
    `Read ${log}, or start over: npm run -s sandbox -- down, then up.`,
  ];
}

function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '(no log)';
  }
}

async function nodeIsReady(instance: Instance, api: ApiClient): Promise<boolean> {
  const answer = await api.request('GET', `/api/v1/nodes/${instance.nodeName}`);
  if (answer.status !== 200) return false;
  const node = answer.body as NodeStatus;
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  // Until the controller lifts the taint of a new or recovered node, pods stay pending.
  return ready?.status === 'True' && (node.spec?.taints ?? []).length === 0;
}

interface NodeStatus {
  readonly spec?: { readonly taints?: readonly object[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function dnsAnswers(instance: Instance): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([instance.nodeAddress]);
  const addresses = await resolver.resolve4('kubernetes.default.svc.cluster.local');
  return addresses.includes(instance.apiServiceAddress);
}

/** Health answers hold no secret, and controllers serve theirs with a certificate of their own making. */
function httpStatus(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? https.get : http.get;
    const request = get(url, { timeout: 1000, agent: false, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('timeout', () => request.destroy(new Error(`${url}: no answer`)));
    request.once('error', reject);
  });
}
