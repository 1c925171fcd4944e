import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { apply, kubectl, kubectlJson, makeNamespace, testKubeconfig } from '../support/kubectl.ts';
import { slipway } from '../support/slipway.ts';
import { treeOf } from '../support/tree-hash.ts';
import { webDeployment } from '../support/workloads.ts';

/** Every answer comes within this time. */
const patienceMs = 10_000;

interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, unknown> }[];
  users: { name: string; user: Record<string, unknown> }[];
  contexts: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  'current-context': string;
}

describe('bad input', () => {
  let scratch = '';
  let folder = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  let listener: Server;
  let takenPort = 0;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-bad-'));
    namespace = await makeNamespace('e2e-bad');
    await apply(
      webDeployment(namespace.name),
      webDeployment(namespace.name, { name: 'distroless', image: 'sandbox/static:1', replicas: 1 }),
      webDeployment(namespace.name, { name: 'broken', image: 'nope.invalid/x:1', replicas: 1 }),
    );
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/distroless', '--timeout=90s');
    listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    takenPort = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(async () => {
    listener.close();
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(scratch, 'folder-'));
    writeFileSync(join(folder, 'a.txt'), 'a');
  });

  const home = (): string => join(scratch, 'home');
  const dev = (...more: string[]) => [
    'dev',
    '-n',
    namespace.name,
    'deploy/web',
    '--path',
    `${folder}:/app`,
    ...more,
  ];
  function kubeconfigWith(change: (config: Kubeconfig) => void): string {
    const config = parse(readFileSync(testKubeconfig(), 'utf8')) as Kubeconfig;
    change(config);
    const path = join(mkdtempSync(join(scratch, 'kube-')), 'config');
    writeFileSync(path, stringify(config));
    return path;
  }
  const withPlugin = (command: string, ...args: string[]): string =>
    kubeconfigWith((config) => {
      for (const user of config.users) {
        user.user = {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args, interactiveMode: 'Never' },
        };
      }
    });

  /** Runs it; expects one message in time, and cluster and folder as they were. */
  async function refused(
    args: readonly string[],
    code: string,
    options: { kubeconfig?: string; says?: RegExp; watch?: string } = {},
  ) {
    const workload = options.watch ?? 'web';
    const before = await kubectlJson<{ spec: unknown }>('-n', namespace.name, 'get', 'deployment', workload);
    const objects = await kubectl('-n', namespace.name, 'get', 'deployments,leases', '-o', 'name');
    const tree = treeOf(folder);
    const started = performance.now();
    const result = await slipway(
      { home: home(), ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }) },
      ...args,
      '--json',
    );
    const took = performance.now() - started;
    const errors = result.stdout
      .split('\n')
      .filter((line) => line.includes('"event":"error"'))
      .map((line) => JSON.parse(line) as { code: string; message: string; cause: string; next: string });
    expect(errors, `${result.stdout}\n${result.stderr}`).toHaveLength(1);
    const [error] = errors;
    expect(error?.code).toBe(code);
    expect(error?.message).not.toBe('');
    expect(error?.next).not.toBe('');
    if (options.says !== undefined) expect(JSON.stringify(error)).toMatch(options.says);
    expect(result.code).not.toBe(0);
    expect(result.stderr).not.toContain('    at ');
    expect(took - (await startUpMs(took))).toBeLessThan(patienceMs);
    expect(
      (await kubectlJson<{ spec: unknown }>('-n', namespace.name, 'get', 'deployment', workload)).spec,
    ).toEqual(before.spec);
    expect(await kubectl('-n', namespace.name, 'get', 'deployments,leases', '-o', 'name')).toBe(objects);
    expect(treeOf(folder)).toEqual(tree);
  }

  /** What a slow machine adds to a command that took long: a few starts of the program itself. */
  async function startUpMs(took: number): Promise<number> {
    if (took < patienceMs / 2) return 0;
    const started = performance.now();
    await slipway({ home: home() }, 'version');
    return 3 * (performance.now() - started);
  }

  it('a kubeconfig that does not exist', () =>
    refused([...dev(), '--kubeconfig', join(scratch, 'none')], 'kubeconfig.missing', { says: /none/ }));

  it('a kubeconfig that is no YAML', () => {
    const path = join(mkdtempSync(join(scratch, 'kube-')), 'config');
    writeFileSync(path, 'clusters: [}\n');
    return refused([...dev(), '--kubeconfig', path], 'kubeconfig.invalid');
  });

  it('an unknown context', () =>
    refused([...dev(), '--kube-context', 'nowhere'], 'kubeconfig.context-unknown', { says: /nowhere/ }));

  it('works with the good context when another entry is broken', async () => {
    const kubeconfig = kubeconfigWith((config) => {
      config.contexts.push({ name: 'dangling', context: { cluster: 'gone', user: 'gone' } });
      config.clusters.push({
        name: 'bad',
        cluster: { server: 'not a url', 'certificate-authority-data': '%%%' },
      });
    });
    const result = await slipway(
      { home: home(), kubeconfig },
      'list',
      'workloads',
      '-n',
      namespace.name,
      '--json',
    );
    expect(result.stdout).toContain('"name":"web"');
  });

  it('a cluster that nobody answers for', () =>
    refused(dev(), 'cluster.unreachable', {
      kubeconfig: kubeconfigWith((config) =>
        config.clusters.forEach((entry) => (entry.cluster['server'] = 'https://127.0.0.1:1')),
      ),
      says: /127\.0\.0\.1:1/,
    }));

  it('a cluster that accepts and says nothing', () =>
    refused(dev(), 'cluster.timeout', {
      kubeconfig: kubeconfigWith((config) =>
        config.clusters.forEach((entry) => (entry.cluster['server'] = `https://127.0.0.1:${takenPort}`)),
      ),
    }));

  it('an exec plugin that is not there', () =>
    refused(dev(), 'credential.plugin-missing', {
      kubeconfig: withPlugin('no-such-plugin'),
      says: /no-such-plugin/,
    }));

  it('an exec plugin that fails', () =>
    refused(dev(), 'credential.plugin-failed', {
      kubeconfig: withPlugin('sh', '-c', 'echo sign in first >&2; exit 3'),
      says: /sign in first/,
    }));

  it('an exec plugin that hangs', () =>
    refused(dev(), 'credential.plugin-timeout', { kubeconfig: withPlugin('sleep', '60') }));

  it('credentials that the server does not take', () =>
    refused(dev(), 'cluster.unauthorized', {
      kubeconfig: kubeconfigWith((config) =>
        config.users.forEach((entry) => (entry.user = { token: 'expired' })),
      ),
    }));

  it('a namespace that does not exist', () =>
    refused(
      ['dev', '-n', 'no-such-namespace', 'deploy/web', '--path', `${folder}:/app`],
      'namespace.not-found',
      { says: /no-such-namespace/ },
    ));

  it('a workload that does not exist', () =>
    refused(
      ['dev', '-n', namespace.name, 'deploy/nothing', '--path', `${folder}:/app`],
      'workload.not-found',
      { says: /nothing/ },
    ));

  it('a kind that cannot be replaced', () =>
    refused(['dev', '-n', namespace.name, 'sts/web', '--path', `${folder}:/app`], 'workload.unsupported'));

  it('a container that the pod does not have', () =>
    refused(dev('--container', 'other'), 'workload.container-unknown', { says: /other/ }));

  it('a selector without a running pod', () =>
    refused(
      ['sync', '-n', namespace.name, '--label-selector', 'app=broken', '--path', `${folder}:/app`],
      'workload.no-running-pod',
    ));

  it('an image without a shell', () =>
    refused(
      ['sync', '-n', namespace.name, '--label-selector', 'app=distroless', '--path', `${folder}:/app`],
      'image.no-shell',
      {
        watch: 'distroless',
      },
    ));

  it('a port that is in use', () =>
    refused(dev('--port', `${takenPort}:8080`), 'port.in-use', { says: new RegExp(String(takenPort)) }));

  it('a folder that is not there', () =>
    refused(
      ['dev', '-n', namespace.name, 'deploy/web', '--path', `${folder}/none:/app`],
      'sync.local-path-missing',
    ));

  it('a folder below a file', () =>
    refused(
      ['dev', '-n', namespace.name, 'deploy/web', '--path', `${folder}/a.txt/b:/app`],
      'sync.local-path-missing',
    ));

  it('a folder that is a loop of links', () => {
    const loop = join(mkdtempSync(join(scratch, 'links-')), 'loop');
    symlinkSync('loop', loop);
    return refused(
      ['dev', '-n', namespace.name, 'deploy/web', '--path', `${loop}:/app`],
      'sync.local-path-unreadable',
    );
  });

  it('a path that is missing in the container', () =>
    refused(
      ['sync', '-n', namespace.name, '--label-selector', 'app=web', '--path', `${folder}:/no/such/path`],
      'sync.remote-path-missing',
      {
        says: /no\/such\/path/,
      },
    ));

  it('a path that is a file in the container', () =>
    refused(
      ['sync', '-n', namespace.name, '--label-selector', 'app=web', '--path', `${folder}:/bin/busybox`],
      'sync.remote-path-missing',
    ));

  it('no path at all', () =>
    refused(['dev', '-n', namespace.name, 'deploy/web'], 'usage.invalid', { says: /--path/ }));

  it('a strategy that does not exist', () =>
    refused(dev('--initial-sync', 'theirs'), 'usage.invalid', { says: /preferLocal/ }));
});
