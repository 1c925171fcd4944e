import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import type { Guard } from '../../contract/settings.ts';
import type { StartForm, WorkloadKey, WorkloadKind } from '../../contract/workloads.ts';
import { Emitter } from '../base/event.ts';
import type { Clusters } from '../clusters/clusters.ts';
import { compose } from '../compose.ts';
import { composeWorkloads } from '../compose-workloads.ts';
import type { StateSource } from '../ipc/handlers.ts';
import type { Kube } from '../kube/kube.ts';
import { kubectl, kubectlJson, temporaryNamespace } from '../session/testing/cluster.ts';
import { serviceAccountKubeconfig } from '../session/testing/service-account.ts';
import { createWorkloadsHandlers } from './handlers.ts';
import { PlanStore } from './plan-store.ts';

const cluster = 'c';
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-workloads-'));
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** The feature on the real cluster, with the rights of a kubeconfig. */
async function openFeature(kubeconfig = testKubeconfig(), guard: Guard = 'none') {
  const environment = { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, SLIPWAY_HOME: home };
  const services = compose({ environment, platform: 'linux' });
  const kube: Kube = await services.connect({});
  const plans = new PlanStore(services.clock);
  const confirm = guard === 'confirm' ? { type: 'web', why: 'It is protected.' } : undefined;
  const clusters = {
    kube: () => Promise.resolve(kube),
    info: () => ({ context: kube.contextName, guard, file: kubeconfig }),
    confirmation: () => confirm,
    noteNamespace: () => undefined,
    onChange: new Emitter<void>().event,
  } as unknown as Clusters;
  const live = { sessionOn: () => undefined, onChange: new Emitter<void>().event };
  const isDefaultKubeconfig = (): boolean => true;
  const parts = { services, clusters, plans, live, isDefaultKubeconfig, defaultExcludes: () => ['.git/'] };
  const handlers = createWorkloadsHandlers(composeWorkloads(parts));
  return { handlers, plans, services, kube, [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose]() };
}

type Pod = { readonly image: string; readonly command?: readonly string[] };

function workload(kind: string, name: string, { image, command }: Pod, spec: object = {}): object {
  const labels = { app: name };
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, labels: { ...labels, 'app.kubernetes.io/managed-by': 'tests' } },
    spec: {
      ...(kind === 'Job' ? {} : { selector: { matchLabels: labels } }),
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          ...(kind === 'Job' ? { restartPolicy: 'Never' } : {}),
          containers: [
            { name: 'main', image, imagePullPolicy: 'Never', command, ports: [{ containerPort: 8080 }] },
          ],
        },
      },
      ...spec,
    },
  };
}

async function apply(namespace: string, ...items: readonly object[]): Promise<void> {
  await kubectl(
    ['-n', namespace, 'apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
}

const node = { image: 'sandbox/node:1' };
const web = { image: 'sandbox/web:1' };

function service(name: string): object {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

function key(namespace: string, name: string, kind: WorkloadKind = 'Deployment'): WorkloadKey {
  return { cluster, namespace, kind, name };
}

async function projectFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'slipway-project-'));
  await writeFile(join(path, 'package.json'), '{"name":"shop"}');
  await writeFile(join(path, 'new.js'), 'new');
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function form(namespace: string, folder: string, more: Partial<StartForm> = {}): StartForm {
  return {
    ...key(namespace, 'web'),
    ...{ folder, containerPath: '/app', createPath: false, strategy: 'preferLocal' },
    ...{ excludes: ['.git/'], ports: [], env: [] },
    ...more,
  };
}

const context = () => ({ signal: AbortSignal.timeout(60_000) });

function settled<Value>(source: StateSource<Value>, done: (value: Value) => boolean): Promise<void> {
  return eventually(() => {
    if (!done(source.value)) throw new Error(`Not yet: ${JSON.stringify(source.value)}`);
  }, 60_000);
}

describe.concurrent('workloads on a real cluster', () => {
  it('are listed with the numbers of kubectl, and followed', async () => {
    await using namespace = await temporaryNamespace('e4-list');
    await using feature = await openFeature();
    await apply(
      namespace.name,
      workload('Deployment', 'web', node, { replicas: 2 }),
      workload('StatefulSet', 'db', web, { serviceName: 'db' }),
      workload('DaemonSet', 'agent', web),
      workload('Job', 'once', { ...web, command: ['true'] }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'bare' },
        spec: { containers: [{ name: 'a', ...web }] },
      },
    );
    using list = feature.handlers['workloads.list']({ cluster, namespaces: [namespace.name] });
    await settled(list, ({ state, items }) => {
      const rows = Object.values(items);
      return state === 'ready' && rows.length === 5 && rows.every(({ ready, desired }) => ready === desired);
    });
    const shown = await kubectl([
      ...['-n', namespace.name, 'get', 'deployments,statefulsets,daemonsets,jobs', '--no-headers'],
    ]);
    const columns = shown
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => line.split(/\s+/));
    for (const [reference = '', first = '', second, third] of columns) {
      const [group = '', name = ''] = reference.split('/');
      const row = Object.values(list.value.items).find((item) => item.name === name);
      // kubectl shows DESIRED, CURRENT, READY for a DaemonSet, and STATUS before COMPLETIONS for a Job.
      const expected = group.startsWith('daemonset')
        ? `${third ?? ''}/${first}`
        : group.startsWith('job') && !first.includes('/')
          ? second
          : first;
      expect(`${row?.ready ?? ''}/${row?.desired ?? ''}`, name).toBe(expected);
      expect(row?.owner, name).toBe('tests');
    }
    await kubectl(['-n', namespace.name, 'delete', 'statefulset', 'db']);
    await settled(list, ({ items }) => !Object.values(items).some(({ name }) => name === 'db'));
  });

  it('say what this user may not see', async () => {
    await using namespace = await temporaryNamespace('e4-partial');
    await using account = await serviceAccountKubeconfig(namespace.name, 'reader', [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
    ]);
    await using feature = await openFeature(account.path);
    await apply(namespace.name, workload('Deployment', 'web', node));
    using list = feature.handlers['workloads.list']({ cluster, namespaces: [namespace.name] });
    await settled(list, ({ state, items }) => state === 'partial' && Object.keys(items).length === 1);
    expect(list.value.notes?.[0]).toBe(
      `You may not list StatefulSets, DaemonSets, ReplicaSets, Jobs and Pods in ${namespace.name}.`,
    );
    using all = feature.handlers['workloads.list']({ cluster, namespaces: [] });
    await settled(all, ({ state }) => state === 'error');
    expect(all.value.error?.code).toBe('cluster.forbidden');
    const matrix = await feature.handlers['workloads.preflight'](key(namespace.name, 'web'), context());
    expect(matrix.channels.find(({ channel }) => channel === 'replace')?.verdict).toBe('missing');
    expect(matrix.missingRole).toContain('kind: RoleBinding');
    expect(matrix.missingRole).toContain('name: reader');
    await using project = await projectFolder();
    const plan = await feature.handlers['workloads.plan'](form(namespace.name, project.path), context());
    expect(plan.obstacles[0]?.code).toBe('rights.missing');
    expect(plan.files.container).toMatchObject({ kind: 'unknown' });
  });

  it('tell of one everything, live, with the reason of a pod that does not run', async () => {
    await using namespace = await temporaryNamespace('e4-detail');
    await using feature = await openFeature();
    await apply(
      namespace.name,
      workload('Deployment', 'web', { ...web, command: ['sh', '-c', 'exit 3'] }),
      service('web'),
    );
    using page = feature.handlers['workloads.detail'](key(namespace.name, 'web'));
    await settled(page, ({ pods }) =>
      Object.values(pods.items).some(({ reason }) => reason?.includes('exit code 3') === true),
    );
    await settled(page, ({ events }) => Object.values(events.items).some(({ warning }) => warning));
    expect(page.value).toMatchObject({
      state: 'ready',
      workload: { name: 'web', ready: 0, desired: 1 },
      services: [{ name: 'web', ports: ['80 → 8080/TCP'] }],
      containers: [{ name: 'main', image: 'sandbox/web:1', command: 'sh -c "exit 3"' }],
    });
    expect(page.value.owners).toContain('tests (managed-by label)');
    await kubectl(['-n', namespace.name, 'delete', 'deployment', 'web']);
    await settled(page, ({ state }) => state === 'gone');
  });

  it('are planned with what a look into the container says, and nothing is changed', async () => {
    await using namespace = await temporaryNamespace('e4-plan');
    await using feature = await openFeature();
    await using project = await projectFolder();
    await apply(namespace.name, workload('Deployment', 'web', node, { replicas: 2 }), service('web'));
    await kubectl(['-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s']);
    const before = await kubectlJson<{ metadata: object }>([
      '-n',
      namespace.name,
      'get',
      'deployment',
      'web',
    ]);
    const found = await feature.handlers['workloads.detect'](
      { ...key(namespace.name, 'web'), folder: project.path },
      context(),
    );
    expect(found).toMatchObject({
      language: { value: 'Node.js' },
      containerPath: { value: '/app' },
      ports: [{ value: { remote: 8080 } }],
    });
    const plan = await feature.handlers['workloads.plan'](form(namespace.name, project.path), context());
    expect(plan).toMatchObject({
      action: 'Replace web (2 → 0) and start web-dev',
      obstacles: [],
      admission: { kind: 'admitted' },
      quota: { kind: 'fits' },
      services: [{ name: 'web' }],
      files: {
        local: { files: 2 },
        container: {
          kind: 'compared',
          upload: { files: 1, examples: ['new.js'] },
          overwriteInContainer: { files: 1, examples: ['package.json'] },
          download: { files: 1, examples: ['server.js'] },
          same: 0,
        },
      },
    });
    expect(feature.plans.planOf(plan.id)?.flight).toBe(plan);
    expect(plan.commandLine).toContain(`slipway dev deploy/web -n ${namespace.name}`);
    const missing = await feature.handlers['workloads.plan'](
      form(namespace.name, project.path, { containerPath: '/none' }),
      context(),
    );
    expect(missing.warnings.join()).toContain('has no folder /none');
    expect(missing.files.container).toMatchObject({ kind: 'compared', upload: { files: 2 } });
    expect(await kubectlJson(['-n', namespace.name, 'get', 'deployment', 'web'])).toEqual(before);
    expect(await kubectl(['-n', namespace.name, 'get', 'leases,pods', '-o', 'name'])).not.toContain('-dev');
  });

  it('name what stands against a start: a guard, a taken port, an image without a shell', async () => {
    await using namespace = await temporaryNamespace('e4-obstacle');
    await using feature = await openFeature(testKubeconfig(), 'read-only');
    await using project = await projectFolder();
    await apply(namespace.name, workload('Deployment', 'web', { image: 'sandbox/static:1' }));
    await kubectl(['-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s']);
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const plan = await feature.handlers['workloads.plan'](
      form(namespace.name, project.path, { ports: [{ local: port, remote: 8080 }] }),
      context(),
    );
    taken.close();
    expect(plan.obstacles.map(({ code }) => code)).toEqual(['cluster.read-only', 'port.in-use']);
    expect(plan.files.container).toMatchObject({ kind: 'unknown' });
    await using confirming = await openFeature(testKubeconfig(), 'confirm');
    const asked = await confirming.handlers['workloads.plan'](form(namespace.name, project.path), context());
    expect(asked.confirm).toEqual({ type: 'web', why: 'It is protected.' });
    expect(confirming.plans.planOf(asked.id)?.expected).toBe('web');
  });

  it('show the session on one, and its plan who holds it', async () => {
    await using namespace = await temporaryNamespace('e4-held');
    await using feature = await openFeature();
    await using project = await projectFolder();
    await apply(namespace.name, workload('Deployment', 'web', node));
    await kubectl(['-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s']);
    const sessions = feature.services.sessions(feature.kube);
    const target = { kind: 'Deployment', name: 'web' };
    const request = { namespace: namespace.name, target, project: 'shop', changes: {} };
    const outcome = await sessions.start(await sessions.plan(request));
    if (outcome.kind !== 'started') throw new Error(outcome.kind);
    using list = feature.handlers['workloads.list']({ cluster, namespaces: [namespace.name] });
    await settled(list, ({ items }) => Object.values(items)[0]?.dev?.state === 'mine');
    expect(Object.values(list.value.items).map(({ name }) => name)).toEqual(['web']);
    const plan = await feature.handlers['workloads.plan'](form(namespace.name, project.path), context());
    expect(plan.heldBy?.live).toBe(true);
    expect(plan.obstacles.map(({ code }) => code)).toEqual(['session.live']);
    await outcome.session.stop();
    await settled(list, ({ items }) => Object.values(items)[0]?.dev === undefined);
  });
});
