import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Deployment } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, kubectlJson, kubectlWithInput, makeNamespace } from '../support/kubectl.ts';
import { rightOf, startRecordingProxy } from '../support/recording-proxy.ts';
import { kubeconfigWith, serviceAccount, testServer, type PolicyRule } from '../support/service-account.ts';
import { RunningSlipway, slipway } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

const getAndListPods: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const findPods: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };

/** What `dev` needs beside getting and listing pods, on a server before 1.35. */
const missingForDev = [
  'watch pods',
  'get deployments.apps',
  'list deployments.apps',
  'watch deployments.apps',
  'create deployments.apps',
  'update deployments.apps',
  'patch deployments.apps',
  'delete deployments.apps',
  'patch deployments.apps/scale "web"',
  'get leases.coordination.k8s.io',
  'create leases.coordination.k8s.io',
  'patch leases.coordination.k8s.io',
  'delete leases.coordination.k8s.io',
  'get pods/exec',
];

describe('rights', () => {
  let scratch = '';
  let folder = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-rights-'));
    folder = join(scratch, 'src');
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.html'), 'from the laptop');
    namespace = await makeNamespace('e2e-rights');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Rights that a test was given stay: tried again, it is somebody else. */
  let attempts = 0;
  const account = (name: string, ...rules: readonly PolicyRule[]): Promise<string> =>
    serviceAccount({ namespace: namespace.name, name, rules, folder: scratch });
  const run = (kubeconfig: string, ...args: readonly string[]) =>
    slipway({ home: join(scratch, 'home'), kubeconfig }, ...args);
  const devArguments = (): readonly string[] => ['dev', 'deploy/web', '--path', `${folder}:/app`];
  const objects = (): Promise<string> =>
    kubectl('-n', namespace.name, 'get', 'deployments,replicasets,leases,pods', '-o', 'name');
  const deployment = (): Promise<V1Deployment> =>
    kubectlJson<V1Deployment>('-n', namespace.name, 'get', 'deployment', 'web', '--show-managed-fields');

  interface ChannelLine {
    readonly channel: string;
    readonly verdict: string;
    readonly missing: readonly string[];
  }
  async function preflight(kubeconfig: string) {
    const { code, stdout } = await run(kubeconfig, 'preflight', 'deploy/web', '--json');
    const lines = stdout.split('\n').filter((line) => line !== '');
    const channels = lines.map((line) => JSON.parse(line) as ChannelLine);
    return {
      code,
      verdicts: Object.fromEntries(channels.map(({ channel, verdict }) => [channel, verdict])),
      missing: Object.fromEntries(channels.map(({ channel, missing }) => [channel, missing])),
    };
  }

  /** Runs a command that has to end with one error. */
  async function errorOf(kubeconfig: string, ...args: readonly string[]): Promise<ErrorValue> {
    const result = await run(kubeconfig, ...args, '--json');
    expect(result.code).toBe(1);
    const errors = result.stdout.split('\n').filter((line) => line.includes('"event":"error"'));
    expect(errors, `${result.stdout}\n${result.stderr}`).toHaveLength(1);
    const error = JSON.parse(errors[0] ?? '') as ErrorValue;
    expect(error.cause).not.toBe('');
    expect(error.next).not.toBe('');
    return error;
  }

  it('that end at getting and listing pods: preflight and dev name exactly what is missing, and nothing is changed', async () => {
    const kubeconfig = await account('reader', getAndListPods);
    const before = [await deployment(), await objects()];
    const { code, verdicts, missing } = await preflight(kubeconfig);
    expect(code).toBe(1);
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['missing']));
    expect(missing['terminal']).toEqual(['get pods/exec']);
    expect(missing['forward']).toEqual(['watch pods', 'get pods/portforward']);
    expect(missing['logs']).toEqual(['get pods/log']);
    expect(missing['sync']).toEqual(['watch pods', 'get pods/exec']);
    expect([...(missing['replace'] ?? []), 'get pods/exec']).toEqual(missingForDev);
    const refused = await errorOf(kubeconfig, ...devArguments());
    expect(refused.code).toBe('rights.missing');
    expect(refused.cause).toBe(`Missing: ${missingForDev.join('; ')}.`);
    expect([await deployment(), await objects()]).toEqual(before);
  });

  it('of the role that preflight prints are enough for a whole session, and none of them is left unused', async () => {
    const kubeconfig = await account(`newcomer-${attempts++}`);
    const before = await deployment();
    const printed = (await run(kubeconfig, 'preflight', 'deploy/web')).stdout;
    const role = printed.slice(printed.indexOf('apiVersion:'));
    await kubectlWithInput(role, '-n', namespace.name, 'apply', '-f', '-');
    expect((await preflight(kubeconfig)).code).toBe(0);

    await using proxy = await startRecordingProxy(testServer());
    const through = kubeconfigWith(kubeconfig, join(scratch, 'through'), (config) => {
      for (const entry of config.clusters)
        entry.cluster = { server: proxy.address, 'insecure-skip-tls-verify': true };
    });
    const port = await freePort();
    await using session = new RunningSlipway({ home: join(scratch, 'home'), kubeconfig: through }, [
      ...devArguments(),
      '--port',
      `${port}:8080`,
    ]);
    await session.ready();
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the laptop');
    expect(await session.stop()).toBe(0);
    expect(session.events.at(-1)).toMatchObject({ event: 'stopped', kept: [], remaining: [] });
    const after = await deployment();
    expect(after.spec).toEqual(before.spec);
    expect(ownersOf(after)).toEqual(ownersOf(before));

    const used = new Set(proxy.requests.flatMap((request) => rightOf(request) ?? []));
    const needed = [...missingForDev, 'list pods', 'get pods/portforward'];
    // Only continuing a dead session updates the dev Deployment.
    const unused = needed
      .map((right) => right.replace(/ "web"$/, ''))
      .filter((right) => !used.has(right) && right !== 'update deployments.apps');
    expect(unused).toEqual([]);
  });

  it('to forward and not to exec: forwarding works, terminal and sync say why not', async () => {
    const kubeconfig = await account('forwarder', findPods, {
      apiGroups: [''],
      resources: ['pods/portforward'],
      verbs: ['get', 'create'],
    });
    const { verdicts, missing } = await preflight(kubeconfig);
    expect(verdicts).toMatchObject({ forward: 'allowed', terminal: 'missing', sync: 'missing' });
    expect(missing['terminal']).toEqual(['get pods/exec']);

    const port = await freePort();
    await using forward = new RunningSlipway({ home: join(scratch, 'home'), kubeconfig }, [
      'forward',
      'deploy/web',
      `${port}:8080`,
    ]);
    expect((await forward.ready()).ports).toMatchObject([{ local: port, remote: 8080 }]);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect(await forward.stop()).toBe(0);
    expect(forward.events.at(-1)?.event).toBe('stopped');

    const entering = await errorOf(kubeconfig, 'enter', 'deploy/web');
    expect(entering).toMatchObject({
      code: 'cluster.forbidden',
      cause: expect.stringContaining('pods/exec') as string,
    });
    const pair = ['--label-selector', 'app=web', '--path', `${folder}:/app`];
    const syncing = await errorOf(kubeconfig, 'sync', ...pair);
    expect(syncing).toMatchObject({
      code: 'cluster.forbidden',
      cause: expect.stringContaining('pods/exec') as string,
    });
  });

  it('to exec and not to forward: a forward ends with one error', async () => {
    const kubeconfig = await account('executor', findPods, {
      apiGroups: [''],
      resources: ['pods/exec'],
      verbs: ['get', 'create'],
    });
    const error = await errorOf(kubeconfig, 'forward', 'deploy/web', `${await freePort()}:8080`);
    expect(error).toMatchObject({
      code: 'cluster.forbidden',
      cause: expect.stringContaining('pods/portforward') as string,
    });
    expect((await run(kubeconfig, 'enter', 'deploy/web', '--', 'echo', 'hello')).stdout).toBe('hello\n');
  });

  it('in one namespace only: it is listed, any other can be named, and a wrong one is one error', async () => {
    const kubeconfig = await account('local', findPods, {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: ['list'],
    });
    const listed = await run(kubeconfig, 'list', 'namespaces', '--json');
    expect(listed.code).toBe(0);
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ name: namespace.name }]);
    expect(listed.stderr).toMatch(/may not list namespaces/);
    expect((await run(kubeconfig, 'list', 'workloads', '--json')).stdout).toContain('"name":"web"');
    expect(await errorOf(kubeconfig, 'forward', 'deploy/web', '8080', '-n', 'kube-system')).toMatchObject({
      code: 'cluster.forbidden',
      cause: expect.stringContaining('kube-system') as string,
    });
  });
});

/** Who owns which fields, without the status, which controllers write all the time. */
function ownersOf({ metadata }: V1Deployment): readonly unknown[] {
  return (metadata?.managedFields ?? []).flatMap(({ manager, operation, subresource, fieldsV1 }) =>
    subresource === 'status' ? [] : [{ manager, operation, subresource, fields: fieldsV1 as unknown }],
  );
}
