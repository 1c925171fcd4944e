import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Deployment, V1Pod, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { diskStateFiles } from '../base/state-files.ts';
import type { Kube } from '../kube/kube.ts';
import type { ContainerChanges } from './plan.ts';
import { createSessions, type Session, type SessionEvent, type Sessions } from './session.ts';
import { connectCluster, kubectl, kubectlJson, temporaryNamespace } from './testing/cluster.ts';
import { serviceAccountKubeconfig } from './testing/service-account.ts';

interface WebOptions {
  readonly replicas?: number | undefined;
  readonly pod?: object;
  readonly container?: object;
}

function webManifest({ replicas, pod = {}, container = {} }: WebOptions = {}): string {
  const labels = { app: 'web' };
  const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { 'app.kubernetes.io/instance': 'web' } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 2,
          containers: [
            {
              name: 'web',
              image: 'sandbox/web:1',
              imagePullPolicy: 'Never',
              readinessProbe: probe,
              livenessProbe: probe,
              ...container,
            },
          ],
          ...pod,
        },
      },
    },
  });
}

let kube: Kube;
let home: string;

beforeAll(async () => {
  kube = await connectCluster();
  home = await mkdtemp(join(tmpdir(), 'slipway-session-'));
});

afterAll(async () => {
  await kube?.[Symbol.asyncDispose]();
  if (home !== undefined) await rm(home, { recursive: true, force: true });
});

function sessionsOf(connection: Kube, machine = 'laptop', state = home): Sessions {
  return createSessions({
    kube: connection,
    stateFiles: diskStateFiles,
    home: state,
    clock: systemClock,
    machine,
  });
}

async function begin(
  sessions: Sessions,
  namespace: string,
  changes: ContainerChanges = {},
): Promise<Session> {
  const target = { kind: 'Deployment', name: 'web' };
  const outcome = await sessions.start(
    await sessions.plan({ namespace, target, project: 'A shop', changes }),
  );
  if (outcome.kind !== 'started') throw new Error(outcome.kind);
  return outcome.session;
}

async function deploy(namespace: string, manifest: string): Promise<void> {
  await kubectl(['-n', namespace, 'apply', '--server-side', '-f', '-'], manifest);
  await kubectl(['-n', namespace, 'rollout', 'status', 'deployment/web', '--timeout=60s']);
}

function readWeb(namespace: string): Promise<V1Deployment> {
  return kubectlJson(['-n', namespace, 'get', 'deployment', 'web', '--show-managed-fields']);
}

/** Everything in the namespace that a session could have made, by kubectl. */
async function everything(namespace: string): Promise<string[]> {
  const kinds =
    'deployments,replicasets,pods,leases,configmaps,secrets,services,serviceaccounts,persistentvolumeclaims';
  const list = await kubectl(['-n', namespace, 'get', kinds, '-o', 'name']);
  return list
    .split('\n')
    .filter((name) => name !== '' && !name.startsWith('pod/web-'))
    .sort();
}

/** Who owns what in the spec, without the times and without what the controllers note in the status. */
function ownership(web: V1Deployment): unknown[] {
  return (web.metadata?.managedFields ?? [])
    .filter((entry) => entry.subresource !== 'status')
    .map((entry) => ({ ...entry, time: undefined }));
}

describe.concurrent('a session on a real cluster', () => {
  it('leaves nothing: spec, ownership and namespace are as before', async () => {
    await using namespace = await temporaryNamespace('se-whole');
    await deploy(namespace.name, webManifest({ replicas: 2 }));
    const before = await readWeb(namespace.name);
    const present = await everything(namespace.name);
    const session = await begin(sessionsOf(kube), namespace.name);
    const pod = await session.waitForPod();
    const dev = await kubectlJson<V1Pod>(['-n', namespace.name, 'get', 'pod', pod.name]);
    expect(dev.metadata?.uid).toBe(pod.uid);
    expect(dev.metadata?.labels).toMatchObject({ app: 'web', 'slipway.dev/session': session.id });
    expect(dev.spec?.containers[0]?.livenessProbe).toBeUndefined();
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(0);
    const report = await session.stop();
    expect(report).toMatchObject({ kept: [], remains: [] });
    const after = await readWeb(namespace.name);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata?.labels).toEqual(before.metadata?.labels);
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations);
    expect(ownership(after)).toEqual(ownership(before));
    expect(after.status?.readyReplicas).toBe(2);
    expect(await everything(namespace.name)).toEqual(present);
  });

  it.each([
    ['server-side apply', ['apply', '--server-side', '-f', '-']],
    ['client-side apply', ['apply', '-f', '-']],
  ])('lets whoever deployed by %s change replicas afterwards', async (_name, apply) => {
    await using namespace = await temporaryNamespace('se-owner');
    await kubectl(['-n', namespace.name, ...apply], webManifest({ replicas: 1 }));
    const before = await readWeb(namespace.name);
    const session = await begin(sessionsOf(kube), namespace.name);
    await session.stop();
    expect(ownership(await readWeb(namespace.name))).toEqual(ownership(before));
    await kubectl(['-n', namespace.name, ...apply], webManifest({ replicas: 2 }));
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(2);
  });

  it("keeps a colleague's image and number of replicas, and says who", async ({ expect }) => {
    await using namespace = await temporaryNamespace('se-colleague');
    await deploy(namespace.name, webManifest({ replicas: 1 }));
    const session = await begin(sessionsOf(kube), namespace.name);
    const events: SessionEvent[] = [];
    session.onEvent((event) => events.push(event));
    await kubectl(['-n', namespace.name, 'set', 'image', 'deployment/web', 'web=sandbox/node:1']);
    await kubectl(['-n', namespace.name, 'scale', 'deployment/web', '--replicas=2']);
    await expect
      .poll(() => events)
      .toContainEqual({ kind: 'target', event: { kind: 'replicas-changed', to: 2, by: 'kubectl' } });
    const { kept } = await session.stop();
    expect(kept).toEqual([
      { path: 'spec.replicas', was: '1', now: '2', by: 'kubectl' },
      { path: 'containers[web].image', was: 'sandbox/web:1', now: 'sandbox/node:1', by: 'kubectl-set' },
    ]);
    const after = await readWeb(namespace.name);
    expect(after.spec?.replicas).toBe(2);
    expect(after.spec?.template.spec?.containers[0]?.image).toBe('sandbox/node:1');
  });

  it('that was killed is a leftover after a minute, never before, and is restored from elsewhere', async () => {
    await using namespace = await temporaryNamespace('se-killed');
    await deploy(namespace.name, webManifest({ replicas: 2 }));
    const before = await readWeb(namespace.name);
    const present = await everything(namespace.name);
    const script = join(import.meta.dirname, 'testing', 'killed-session.ts');
    const gone = await mkdtemp(join(home, 'killed-'));
    const child = spawn(process.execPath, [script, namespace.name, gone], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await rm(gone, { recursive: true });
    const elsewhere = sessionsOf(kube, 'another', join(home, 'elsewhere'));
    const look = async () => (await elsewhere.leftovers({ namespace: namespace.name })).items[0];
    expect(await look()).toMatchObject({ state: 'live' });
    await systemClock.sleep(45_000);
    let seen = await look();
    for (; seen?.state === 'live'; seen = await look()) {
      expect(seen.silentMs).toBeLessThanOrEqual(60_000);
      await systemClock.sleep(1_000);
    }
    expect(seen).toMatchObject({ state: 'dead', mine: true, machine: 'killed' });
    expect(seen?.silentMs).toBeGreaterThan(60_000);
    const report = await elsewhere.reset({ namespace: namespace.name });
    expect(report).toMatchObject({ failed: [], skipped: [], restored: [{ kept: [], remains: [] }] });
    const after = await readWeb(namespace.name);
    expect(after.spec).toEqual(before.spec);
    expect(ownership(after)).toEqual(ownership(before));
    expect(await everything(namespace.name)).toEqual(present);
  });

  it('is had by one of two that start at once', async () => {
    await using namespace = await temporaryNamespace('se-two');
    await deploy(namespace.name, webManifest({ replicas: 1 }));
    const target = { kind: 'Deployment', name: 'web' };
    const machines = ['one', 'two'].map((machine) => sessionsOf(kube, machine));
    const plans = await Promise.all(
      machines.map((sessions) =>
        sessions.plan({ namespace: namespace.name, target, project: 'p', changes: {} }),
      ),
    );
    const outcomes = await Promise.allSettled(
      machines.map((sessions, index) => sessions.start(plans[index]!)),
    );
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'session.live' });
    const [won] = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    if (won?.value.kind === 'started') await won.value.session.stop();
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(1);
  });
});

describe.concurrent('what stands against a session', () => {
  it('is the policy that would refuse its pod, though it admits the Deployment', async () => {
    await using namespace = await temporaryNamespace('se-policy');
    await kubectl(['-n', namespace.name, 'apply', '--server-side', '-f', '-'], webManifest({ replicas: 1 }));
    await kubectl(['label', 'namespace', namespace.name, 'pod-security.kubernetes.io/enforce=restricted']);
    const sessions = sessionsOf(kube);
    const target = { kind: 'Deployment', name: 'web' };
    const plan = await sessions.plan({ namespace: namespace.name, target, project: 'p', changes: {} });
    expect(plan.admission).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('restricted') as string,
    });
    const before = await everything(namespace.name);
    await expect(sessions.start(plan)).rejects.toMatchObject({ code: 'admission.refused' });
    expect(await everything(namespace.name)).toEqual(before);
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(1);
  });

  it("is not a full quota, when the workload's own pods fill it", async ({ expect }) => {
    await using namespace = await temporaryNamespace('se-quota');
    await deploy(namespace.name, webManifest({ replicas: 2 }));
    await kubectl(['-n', namespace.name, 'create', 'quota', 'q', '--hard=pods=2']);
    await expect
      .poll(() => kubectl(['-n', namespace.name, 'get', 'quota', 'q', '-o', 'jsonpath={.status.used.pods}']))
      .toBe('2');
    const sessions = sessionsOf(kube);
    const target = { kind: 'Deployment', name: 'web' };
    const plan = await sessions.plan({ namespace: namespace.name, target, project: 'p', changes: {} });
    expect(plan).toMatchObject({ admission: { kind: 'admitted' }, quota: { kind: 'fits', tight: true } });
    const session = await begin(sessions, namespace.name);
    await session.waitForPod();
    expect(await session.stop()).toMatchObject({ kept: [], remains: [] });
    expect((await readWeb(namespace.name)).status?.readyReplicas).toBe(2);
  });

  it('is a quota that has no room for one more Deployment', async ({ expect }) => {
    await using namespace = await temporaryNamespace('se-count');
    await kubectl(['-n', namespace.name, 'apply', '--server-side', '-f', '-'], webManifest({ replicas: 1 }));
    await kubectl(['-n', namespace.name, 'create', 'quota', 'q', '--hard=count/deployments.apps=1']);
    const used = '-o=jsonpath={.status.used.count/deployments\\.apps}';
    await expect.poll(() => kubectl(['-n', namespace.name, 'get', 'quota', 'q', used])).toBe('1');
    await expect(begin(sessionsOf(kube), namespace.name)).rejects.toMatchObject({ code: 'quota.exceeded' });
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(1);
  });

  it('is a missing workload, namespace or container, each said before anything is changed', async () => {
    await using namespace = await temporaryNamespace('se-missing');
    await kubectl(['-n', namespace.name, 'apply', '--server-side', '-f', '-'], webManifest({ replicas: 1 }));
    const sessions = sessionsOf(kube);
    const plan = (name: string, where: string, container?: string, kind = 'Deployment') =>
      sessions.plan({ namespace: where, target: { kind, name }, project: 'p', changes: {}, container });
    await expect(plan('wep', namespace.name)).rejects.toMatchObject({
      code: 'workload.not-found',
      causeText: 'There are web.',
    });
    await expect(plan('web', 'se-no-such')).rejects.toMatchObject({ code: 'namespace.not-found' });
    await expect(plan('web', namespace.name, 'c')).rejects.toMatchObject({
      code: 'workload.container-unknown',
    });
    await expect(plan('db', namespace.name, undefined, 'StatefulSet')).rejects.toMatchObject({
      code: 'workload.unsupported',
    });
  });
});

describe.concurrent('the rights of a session', () => {
  /** As docs/session.md lists them. */
  const rules = [
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    },
    { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'] },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create'] },
    { apiGroups: [''], resources: ['events', 'services', 'resourcequotas'], verbs: ['list'] },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['list'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
    },
  ];

  it('are enough as listed', async () => {
    await using namespace = await temporaryNamespace('se-rights');
    await deploy(namespace.name, webManifest({ replicas: 1 }));
    const before = await readWeb(namespace.name);
    await using account = await serviceAccountKubeconfig(namespace.name, 'dev', rules);
    await using limited = await connectCluster(account.path);
    const sessions = sessionsOf(limited);
    const session = await begin(sessions, namespace.name);
    await session.waitForPod();
    const list = await sessions.leftovers();
    expect(list.namespaces).toEqual([namespace.name]);
    expect(list.items).toMatchObject([
      { state: 'live', mine: true, user: `system:serviceaccount:${namespace.name}:dev` },
    ]);
    expect(await session.stop()).toMatchObject({ kept: [], remains: [] });
    const after = await readWeb(namespace.name);
    expect(after.spec).toEqual(before.spec);
    expect(ownership(after)).toEqual(ownership(before));
  });

  it('that end at listing pods refuse the plan, and nothing is changed', async () => {
    await using namespace = await temporaryNamespace('se-few');
    await kubectl(['-n', namespace.name, 'apply', '--server-side', '-f', '-'], webManifest({ replicas: 1 }));
    const few = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
    await using account = await serviceAccountKubeconfig(namespace.name, 'few', few);
    await using limited = await connectCluster(account.path);
    await expect(begin(sessionsOf(limited), namespace.name)).rejects.toMatchObject({
      code: 'cluster.forbidden',
    });
    expect((await readWeb(namespace.name)).spec?.replicas).toBe(1);
  });
});

describe.concurrent('a dev pod that does not start', () => {
  it('because of its image says so within 30 s, and the workload comes back whole', async () => {
    await using namespace = await temporaryNamespace('se-image');
    await kubectl(['-n', namespace.name, 'create', 'serviceaccount', 'shop']);
    const pod = {
      imagePullSecrets: [{ name: 'r' }],
      serviceAccountName: 'shop',
      automountServiceAccountToken: false,
    };
    await deploy(
      namespace.name,
      webManifest({ replicas: 3, pod, container: { imagePullPolicy: 'IfNotPresent' } }),
    );
    const session = await begin(sessionsOf(kube), namespace.name, { image: 'nope.invalid/x:1' });
    const shown: string[] = [];
    const started = performance.now();
    await expect(
      session.waitForPod({ onProgress: ({ reason }) => shown.push(reason) }),
    ).rejects.toMatchObject({
      code: 'pod.not-ready',
      causeText: expect.stringContaining('nope.invalid/x:1') as string,
    });
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(shown).toContain('ErrImagePull');
    const dev = await kubectlJson<V1Deployment>(['-n', namespace.name, 'get', 'deployment', session.devName]);
    expect(dev.spec?.template.spec).toMatchObject(pod);
    expect(await session.stop()).toMatchObject({ kept: [], remains: [] });
    expect((await readWeb(namespace.name)).status?.readyReplicas).toBe(3);
  });

  it('because its program does not exist says so', async () => {
    await using namespace = await temporaryNamespace('se-command');
    await deploy(namespace.name, webManifest({ replicas: 1 }));
    const session = await begin(sessionsOf(kube), namespace.name, { command: ['no-such-program'] });
    await expect(session.waitForPod()).rejects.toMatchObject({
      code: 'pod.not-ready',
      causeText: expect.stringContaining('no-such-program') as string,
    });
    expect(await session.stop()).toMatchObject({ remains: [] });
  });
});

describe.concurrent('an autoscaler', () => {
  it('is named in the plan, and scales again after the session', async ({ expect }) => {
    await using namespace = await temporaryNamespace('se-hpa');
    await deploy(namespace.name, webManifest());
    await kubectl([
      '-n',
      namespace.name,
      'autoscale',
      'deployment',
      'web',
      '--min=2',
      '--max=4',
      '--cpu-percent=50',
    ]);
    const read = () => kubectlJson<V2HorizontalPodAutoscaler>(['-n', namespace.name, 'get', 'hpa', 'web']);
    const before = await read();
    const sessions = sessionsOf(kube);
    const target = { kind: 'Deployment', name: 'web' };
    const plan = await sessions.plan({ namespace: namespace.name, target, project: 'p', changes: {} });
    expect(plan.owners).toContainEqual({ kind: 'autoscaler', name: 'web', minimum: 2, maximum: 4 });
    const session = await begin(sessions, namespace.name);
    await session.waitForPod();
    await session.stop();
    await expect
      .poll(async () => (await readWeb(namespace.name)).spec?.replicas, { timeout: 60_000 })
      .toBe(2);
    const after = await read();
    expect(after.metadata?.uid).toBe(before.metadata?.uid);
    expect(after.spec).toEqual(before.spec);
  });
});
