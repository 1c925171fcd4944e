import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createProcessMarks } from '../base/process-marks.ts';
import { diskStateFiles } from '../base/state-files.ts';
import { createReview } from '../kube/access/review.ts';
import { createKube } from '../kube/client.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { createStreams } from '../kube/streams/streams.ts';
import { openSettings, type SettingsStore } from '../settings/settings-store.ts';
import { createQuestions, type Questions } from '../tasks/questions.ts';
import { kubectl, makeNamespace, testKubeconfig } from '../../tests/support/kubectl.ts';
import { kubeconfigWith, serviceAccount } from '../../tests/support/service-account.ts';
import { createClusters, type OpenClusters } from './create-clusters.ts';

describe('clusters that are real', () => {
  let scratch = '';
  let home = '';
  let file = '';
  let settings: SettingsStore;
  let questions: Questions;
  let clusters: OpenClusters;
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-clusters-'));
    home = join(scratch, 'home');
    file = kubeconfigWith(testKubeconfig(), join(scratch, 'config'), () => undefined);
    namespace = await makeNamespace('e3-clusters');
    questions = createQuestions();
    settings = await openSettings({
      home,
      files: diskStateFiles,
      clock: systemClock,
      processes: createProcessMarks(),
      onDamage: () => undefined,
    });
    const environment = { ...process.env, KUBECONFIG: file };
    clusters = await createClusters({
      ...{ environment, home, settings, questions },
      clock: systemClock,
      files: diskStateFiles,
      openKube: (selection, consent) =>
        createKube({ selection, environment, consent, streams: createStreams, review: createReview }),
    });
  });
  afterAll(async () => {
    await clusters[Symbol.asyncDispose]();
    await settings[Symbol.asyncDispose]();
    questions[Symbol.dispose]();
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });
  const first = (): string => clusters.list.order[0] ?? '';

  it('connect, tell version and user, and follow their namespaces', async () => {
    using connection = clusters.connection(first());
    await expect.poll(() => connection.value.state).toBe('connected');
    const version = JSON.parse(await kubectl('version', '-o', 'json')) as {
      serverVersion: { gitVersion: string };
    };
    expect(connection.value.version).toBe(version.serverVersion.gitVersion);
    const identity = JSON.parse(await kubectl('auth', 'whoami', '-o', 'json')) as {
      status: { userInfo: { username: string } };
    };
    expect(connection.value.user).toBe(identity.status.userInfo.username);

    using namespaces = clusters.namespaces(first());
    await expect.poll(() => namespaces.value.state).toBe('ready');
    expect(namespaces.value.items).toHaveProperty([namespace.name], {
      name: namespace.name,
      terminating: false,
    });
    const made = await makeNamespace('e3-clusters-more');
    await expect.poll(() => Object.keys(namespaces.value.items)).toContain(made.name);
    await made[Symbol.asyncDispose]();
    await expect
      .poll(() => Object.keys(namespaces.value.items), { timeout: 60_000 })
      .not.toContain(made.name);
  });

  it('with the guard read-only are read, and not written to', async () => {
    const kube = await clusters.kube(first());
    await settings.update({ clusters: { [first()]: { guard: 'read-only' } } });
    const map = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    expect((await kube.list(resourceTypes.pod, namespace.name)).items).toEqual([]);
    await kube.create(map, namespace.name, object, { dryRun: true });
    await expect(kube.create(map, namespace.name, object)).rejects.toMatchObject({
      code: 'cluster.read-only',
    });
    await settings.update({ clusters: { [first()]: { guard: null } } });
    expect(await kubectl('-n', namespace.name, 'get', 'configmap', 'x', '--ignore-not-found')).toBe('');
  });

  it('of a user who may list no namespaces show what is known', async () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    const limited = await serviceAccount({
      namespace: namespace.name,
      name: 'limited',
      rules,
      folder: scratch,
    });
    await settings.update({ kubeconfigFiles: [limited] });
    await expect.poll(() => clusters.list.order.length).toBe(2);
    const id = clusters.list.order[1] ?? '';
    using namespaces = clusters.namespaces(id);
    using connection = clusters.connection(id);
    await expect.poll(() => namespaces.value.state).toBe('partial');
    expect(Object.keys(namespaces.value.items)).toEqual([namespace.name]);
    expect(connection.value.user).toBe(`system:serviceaccount:${namespace.name}:limited`);
  });

  it('that sign in by a program of a further file run it after consent alone', async () => {
    const trace = join(scratch, 'ran');
    const token = (await kubectl('-n', namespace.name, 'create', 'token', 'limited')).trim();
    const program = join(scratch, 'sign-in');
    const answer = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token },
    };
    writeFileSync(program, `#!/bin/sh\necho ran >> ${trace}\ncat <<'END'\n${JSON.stringify(answer)}\nEND\n`);
    chmodSync(program, 0o755);
    const exec = { command: './sign-in', apiVersion: answer.apiVersion, interactiveMode: 'Never' };
    const further = kubeconfigWith(testKubeconfig(), join(scratch, 'with-plugin'), (config) => {
      for (const entry of config.users) entry.user = { exec };
    });
    await settings.update({ kubeconfigFiles: [further] });
    await expect.poll(() => clusters.list.items[clusters.list.order[1] ?? '']?.file).toBe(further);
    const id = clusters.list.order[1] ?? '';
    expect(clusters.plugins()).toEqual([program]);

    using connection = clusters.connection(id);
    await expect.poll(() => Object.values(questions.value.items).length).toBe(1);
    const [question] = Object.values(questions.value.items);
    expect(question?.code).toBe(program);
    questions.answer(question?.id ?? '', 'refuse');
    await expect.poll(() => connection.value.error?.code).toBe('consent.refused');
    expect(existsSync(trace)).toBe(false);

    clusters.retry(id);
    await expect.poll(() => Object.values(questions.value.items).length).toBe(1);
    questions.answer(Object.keys(questions.value.items)[0] ?? '', 'run');
    await expect.poll(() => connection.value.state).toBe('connected');
    expect(connection.value.user).toBe(`system:serviceaccount:${namespace.name}:limited`);
    expect(readFileSync(trace, 'utf8')).toBe('ran\n');
    expect(JSON.stringify([clusters.list, connection.value])).not.toContain(token);
  });
});
