import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Guard } from '../../contract/settings.ts';
import { clusterIdOf } from '../../main/clusters/cluster-id.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, makeNamespace, testKubeconfig } from '../support/kubectl.ts';
import { kubeconfigWith } from '../support/service-account.ts';
import { RunningSlipway, slipway } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

const context = 'shop-prod';

describe('a guarded context', () => {
  let scratch = '';
  let folder = '';
  let kubeconfig = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-guards-'));
    folder = join(scratch, 'src');
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.html'), 'from the laptop');
    kubeconfig = kubeconfigWith(testKubeconfig(), join(scratch, 'kubeconfig'), (config) => {
      for (const entry of config.contexts) entry.name = context;
      config['current-context'] = context;
    });
    namespace = await makeNamespace('e3-guards');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** A home of its own whose settings guard the context. */
  function homeWith(guard: Guard): string {
    const home = mkdtempSync(join(scratch, 'home-'));
    const clusters = { [clusterIdOf(kubeconfig, context)]: { guard } };
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ clusters }));
    return home;
  }
  const run = (home: string, ...args: readonly string[]) =>
    slipway({ home, kubeconfig }, '-n', namespace.name, ...args);
  async function errorOf(home: string, ...args: readonly string[]): Promise<ErrorValue> {
    const { code, stdout } = await run(home, ...args, '--json');
    expect(code).toBe(1);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ErrorValue;
  }
  /** All that the namespace holds, as it is stored. */
  const everything = (): Promise<string> =>
    kubectl('-n', namespace.name, 'get', 'deployments,replicasets,pods,leases,configmaps', '-o', 'yaml');
  const pair = (): readonly string[] => ['--path', `${folder}:/app`];
  const changing = async (): Promise<readonly (readonly string[])[]> => [
    ['dev', 'deploy/web', ...pair()],
    ['sync', '--label-selector', 'app=web', ...pair()],
    ['enter', 'deploy/web', '--pod', 'x', 'touch', '/tmp/changed'],
    ['forward', 'deploy/web', `${await freePort()}:8080`],
    ['reset', 'pods'],
  ];

  it('of read-only is looked at and not changed, whatever is confirmed', async () => {
    const home = homeWith('read-only');
    const before = await everything();
    expect((await run(home, 'list', 'workloads', '--json')).stdout).toContain('"name":"web"');
    expect(await run(home, 'logs', 'deploy/web')).toMatchObject({ code: 0, stderr: '' });
    expect(await run(home, 'leftovers')).toMatchObject({ code: 0 });
    expect(await run(home, 'preflight', 'deploy/web')).toMatchObject({ code: 0 });
    const path = `/api/v1/namespaces/${namespace.name}/pods`;
    expect((await run(home, 'kubeconfig', 'get', '--raw', path)).code).toBe(0);
    const service = `/api/v1/namespaces/${namespace.name}/pods/web:8080/proxy/`;
    expect((await run(home, 'kubeconfig', 'get', '--raw', service)).stderr).toContain('read-only');
    for (const command of await changing()) {
      const error = await errorOf(home, ...command, '--confirm', context);
      expect(error).toMatchObject({
        code: 'cluster.read-only',
        message: expect.stringContaining(context) as string,
      });
      expect(error.cause).toContain('guard');
      expect(error.next).toMatch(/settings/);
    }
    expect(await everything()).toBe(before);
    expect(readdirSync(home)).toEqual(['settings.json']);
  });

  it('of confirm is changed after its own name alone', async () => {
    const home = homeWith('confirm');
    const before = await everything();
    for (const command of await changing()) {
      expect((await errorOf(home, ...command)).code).toBe('cluster.confirmation-needed');
      const wrong = await errorOf(home, ...command, '--confirm', 'shop');
      expect(wrong.code).toBe('cluster.confirmation-needed');
      expect(wrong.next).toContain(`--confirm ${context}`);
    }
    expect(await everything()).toBe(before);

    const entered = await run(home, 'enter', 'deploy/web', '--confirm', context, '--', 'echo', 'hello');
    expect(entered).toMatchObject({ code: 0, stdout: 'hello\n' });
    const port = await freePort();
    const args = ['dev', 'deploy/web', ...pair(), '--port', `${port}:8080`, '--confirm', context];
    await using session = new RunningSlipway({ home, kubeconfig }, [...args, '-n', namespace.name]);
    await session.ready();
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the laptop');
    expect(await session.stop()).toBe(0);
    expect(session.events.at(-1)).toMatchObject({ event: 'stopped', remaining: [] });
  });

  it('whose settings are damaged is looked at only', async () => {
    const home = homeWith('none');
    writeFileSync(join(home, 'settings.json'), '{"clusters": {');
    expect((await run(home, 'list', 'workloads')).code).toBe(0);
    for (const command of await changing()) {
      const error = await errorOf(home, ...command, '--confirm', context);
      expect(error).toMatchObject({ code: 'settings.invalid' });
    }
    expect(readdirSync(home)).toEqual(['settings.json']);
  });
});
