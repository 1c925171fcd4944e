import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  componentPid,
  containerRoot,
  ensureUp,
  imageArchive,
  nodeNetns,
  pushImage,
  requireInstance,
  sandboxKubeconfigPath,
} from './client.ts';
import { componentNames } from './components.ts';
import { describeInstance, existingInstances, type Instance } from './instance.ts';
import { findProcesses } from './processes.ts';
import { tryRun, type RunResult } from './run.ts';
import { findTraces, type Traces } from './traces.ts';

/** An instance of its own, so that the tests can break it while others use the default one. */
const name = 'selftest';
const env = { ...process.env, SLIPWAY_SANDBOX: name };

function sandbox(args: readonly string[], input = ''): Promise<RunResult> {
  return tryRun([process.execPath, path.join(import.meta.dirname, 'main.ts'), ...args], { env, input });
}

async function succeed(args: readonly string[], input = ''): Promise<string> {
  const result = await sandbox(args, input);
  expect(result, `${args.join(' ')}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result.stdout;
}

/** The sandbox's kubectl without the start of Node before it, to save half of the time. */
async function tryKubectl(args: readonly string[], input = ''): Promise<RunResult> {
  const { stateFolder, kubeconfig } = requireInstance(name);
  const program = readFileSync(path.join(stateFolder, 'program'), 'utf8');
  return tryRun([program, 'kubectl', ...args], { input, env: { ...env, KUBECONFIG: kubeconfig } });
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const result = await tryKubectl(args);
  expect(result, `${args.join(' ')}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result.stdout;
}

const apply = (...objects: readonly object[]) =>
  succeed(['kubectl', 'apply', '-f', '-'], objects.map((object) => JSON.stringify(object)).join('\n---\n'));

async function eventually<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const value = await look();
    if (holds(value) || attempt === 100) return value;
    await sleep(100);
  }
}

function podOf(image: string, podName: string, more: object = {}): object {
  const container = { name: 'main', image, ...more };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName, labels: { app: podName } },
    spec: { containers: [container], terminationGracePeriodSeconds: 1 },
  };
}

const restricted = {
  runAsNonRoot: true,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const podNames = ['web', 'node', 'static', 'nonroot'];

/** A process may end by itself between being found and being killed: its parent was killed before it. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('the sandbox', () => {
  let instance: Instance;
  let rulesBefore: string;

  beforeAll(async () => {
    await succeed(['down']);
    rulesBefore = (await tryRun(['iptables-save'])).stdout.replace(/^#.*$/gm, '');
    const started = Date.now();
    await succeed(['up']);
    console.log(`up from nothing: ${Date.now() - started} ms`);
    instance = requireInstance(name);
  });

  afterAll(async () => {
    await sandbox(['down']);
  });

  it('is one ready node that says Kubernetes 1.34', async () => {
    expect(JSON.parse(await kubectl('version', '-o', 'json'))).toMatchObject({
      serverVersion: {
        major: '1',
        minor: '34',
        gitVersion: expect.stringMatching(/^v1\.34\.\d+$/) as string,
      },
    });
    expect(await kubectl('get', 'nodes', '--no-headers')).toMatch(
      /^slipway-selftest +Ready .* v1\.34\.\d+\n$/,
    );
  });

  it('has its own kubeconfig and leaves the user’s alone', async () => {
    const file = (await succeed(['kubeconfig'])).trim();
    expect(file).toBe(sandboxKubeconfigPath(name));
    expect(readFileSync(file, 'utf8')).toContain(`server: https://${instance.nodeAddress}:6443`);
    const own = await tryRun(
      [process.execPath, path.join(import.meta.dirname, 'main.ts'), 'kubectl', 'config', 'view'],
      {
        env: { ...env, KUBECONFIG: '/nowhere/else' },
      },
    );
    expect(own.stdout).toContain(instance.apiServer);
  });

  it('is left as it is by another up, in less than a second of work', async () => {
    const before = findProcesses(instance);
    const started = Date.now();
    const [first, second] = await Promise.all([sandbox(['up']), sandbox(['up'])]);
    console.log(`two more ups at once: ${Date.now() - started} ms`);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.stderr + second.stderr).not.toContain('starting');
    expect(findProcesses(instance)).toEqual(before);
  });

  it('runs a pod of each image, and each serves', async () => {
    await apply(
      podOf('sandbox/web:1', 'web'),
      podOf('sandbox/node:1', 'node'),
      podOf('sandbox/static:1', 'static'),
      podOf('sandbox/nonroot:1', 'nonroot', { securityContext: restricted }),
    );
    await kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s');
    for (const pod of podNames)
      await kubectl('expose', 'pod', pod, '--name', `to-${pod}`, '--port=80', '--target-port=8080');
    const answers: Record<string, string> = {};
    for (const pod of podNames) {
      const get = () => tryKubectl(['exec', 'web', '--', 'timeout', '2', 'wget', '-qO-', `http://to-${pod}`]);
      answers[pod] = (await eventually(get, (result) => result.code === 0)).stdout;
    }
    expect(answers).toEqual({
      web: '<h1>hello from the sandbox</h1>\n',
      node: 'version 1\n',
      static: 'hello from sandbox/static:1\n',
      nonroot: '<h1>hello from the sandbox</h1>\n',
    });
  });

  it('has images that are as they should be: no shell, watched, not root', async () => {
    expect((await tryKubectl(['exec', 'static', '--', 'sh'])).stderr).toContain('executable file not found');
    expect((await kubectl('exec', 'nonroot', '--', 'id')).trim()).toMatch(
      /^uid=10001\(app\) gid=10001\(app\)/,
    );
    expect((await tryKubectl(['exec', 'nonroot', '--', 'touch', '/app/x'])).stderr).toContain('Read-only');
    await kubectl('exec', 'node', '--', 'sed', '-i', "s/version = '1'/version = '2'/", 'server.js');
    const logs = () => kubectl('logs', 'node');
    expect(await eventually(logs, (text) => text.includes('version 2'))).toContain(
      'listening on 8080, version 2',
    );
  });

  it('passes exit code, standard input and output of kubectl through', async () => {
    expect((await sandbox(['kubectl', 'exec', 'web', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
    const text = 'line of text\n'.repeat(20_000);
    expect(await succeed(['kubectl', 'exec', '-i', 'web', '--', 'cat'], text)).toBe(text);
  });

  it('lets a test see a container’s files without exec', async () => {
    await kubectl('exec', 'web', '--', 'sh', '-c', 'echo seen > /app/file');
    const root = containerRoot('default', 'web', 'main', name);
    expect(readFileSync(path.join(root, 'app/file'), 'utf8')).toBe('seen\n');
    expect(() => containerRoot('default', 'web', 'other', name)).toThrow('no running container');
    expect(existsSync(nodeNetns(name))).toBe(true);
  });

  it('answers DNS in pods: services, headless pods by name, and nothing else', async () => {
    const lookup = (host: string) => tryKubectl(['exec', 'web', '--', 'nslookup', '-type=a', host]);
    expect((await lookup('kubernetes.default.svc.cluster.local')).stdout).toContain(
      instance.apiServiceAddress,
    );
    expect((await lookup('nothing.example.org')).stdout).toContain('NXDOMAIN');
    await apply(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'headless' },
        spec: { clusterIP: 'None', selector: { app: 'peer' }, ports: [{ port: 8080 }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'peer', labels: { app: 'peer' } },
        spec: {
          hostname: 'peer',
          subdomain: 'headless',
          containers: [{ name: 'main', image: 'sandbox/web:1' }],
        },
      },
    );
    await kubectl('wait', '--for=condition=Ready', 'pod/peer', '--timeout=30s');
    const address = await kubectl('get', 'pod', 'peer', '-o', 'jsonpath={.status.podIP}');
    const named = () => lookup('peer.headless.default.svc.cluster.local');
    expect((await eventually(named, (result) => result.stdout.includes(address))).stdout).toContain(address);
    await kubectl('delete', 'pod/peer', 'service/headless', '--now');
  });

  it('binds a claim, and a pod that is not root writes to it', async () => {
    await apply(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'writer' },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'sandbox/nonroot:1',
              securityContext: restricted,
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      },
    );
    await kubectl('wait', '--for=condition=Ready', 'pod/writer', '--timeout=30s');
    expect(await kubectl('get', 'pvc', 'data', '-o', 'jsonpath={.status.phase}')).toBe('Bound');
    expect(await kubectl('exec', 'writer', '--', 'sh', '-c', 'echo kept > /data/file; cat /data/file')).toBe(
      'kept\n',
    );
    await kubectl('delete', 'pod/writer', 'pvc/data', '--now');
    const volumes = () => kubectl('get', 'pv', '-o', 'name');
    expect(await eventually(volumes, (text) => text === '')).toBe('');
  });

  it('pulls what the host pushed to its registry, under both of its names', async () => {
    const archive = imageArchive('docker.io/sandbox/web:1', name);
    await pushImage({ archive, registry: instance.registry, repository: 'pushed/web', tag: '1' });
    const always = { imagePullPolicy: 'Always' };
    await apply(
      podOf(`${instance.registry}/pushed/web:1`, 'pulled-address', always),
      podOf('127.0.0.1:5000/pushed/web:1', 'pulled-loopback', always),
    );
    await kubectl(
      'wait',
      '--for=condition=Ready',
      'pod/pulled-address',
      'pod/pulled-loopback',
      '--timeout=30s',
    );
    await kubectl('delete', 'pod/pulled-address', 'pod/pulled-loopback', '--now');
  });

  it('refuses what roles do not grant', async () => {
    await kubectl('create', 'serviceaccount', 'guest');
    const asGuest = ['--as=system:serviceaccount:default:guest'];
    const refused = await tryKubectl([...asGuest, 'get', 'pods']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await kubectl('create', 'rolebinding', 'guest', '--clusterrole=view', '--serviceaccount=default:guest');
    expect(
      (
        await eventually(
          () => tryKubectl([...asGuest, 'get', 'pods']),
          (result) => result.code === 0,
        )
      ).code,
    ).toBe(0);
  });

  it('refuses pods that a namespace’s security level or quota forbids', async () => {
    await kubectl('create', 'namespace', 'strict');
    await kubectl('label', 'namespace', 'strict', 'pod-security.kubernetes.io/enforce=restricted');
    const create = (pod: object) => tryKubectl(['-n', 'strict', 'create', '-f', '-'], JSON.stringify(pod));
    const privileged = await create(
      podOf('sandbox/web:1', 'privileged', { securityContext: { privileged: true } }),
    );
    expect(privileged.stderr).toContain('violates PodSecurity "restricted:latest": privileged');
    await kubectl('-n', 'strict', 'create', 'quota', 'one', '--hard=pods=0');
    const conforming = podOf('sandbox/nonroot:1', 'conforming', { securityContext: restricted });
    const limited = await eventually(
      () => create(conforming),
      (result) => result.code !== 0,
    );
    expect(limited.stderr).toContain('exceeded quota: one');
    await kubectl('delete', 'namespace', 'strict', '--wait=false');
  });

  it('is put back in order by up after any of its processes was killed, with the pods running on', async () => {
    const running = () =>
      kubectl(
        'get',
        'pods',
        ...podNames,
        '-o',
        'jsonpath={range .items[*]}{.metadata.uid} {.status.phase} {.status.containerStatuses[0].restartCount}{"\\n"}{end}',
      );
    const before = await running();
    expect(before.match(/ Running 0\n/g)).toHaveLength(podNames.length);
    for (const component of componentNames) {
      process.kill(componentPid(component, name), 'SIGKILL');
      const { code, stderr } = await sandbox(['up']);
      expect({ component, code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(component) as string,
      });
    }
    expect(JSON.parse(await succeed(['status', '--json']))).toMatchObject({ up: true });
    expect(await running()).toBe(before);
    expect(await kubectl('exec', 'web', '--', 'wget', '-qO-', 'http://to-node')).toBe('version 2\n');
  });

  it('says what is the matter, and wakes a component that was stopped', async () => {
    process.kill(componentPid('kube-scheduler', name), 'SIGSTOP');
    const status = await sandbox(['status']);
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/kube-scheduler +stopped/);
    await succeed(['up']);
    expect((await sandbox(['status'])).stdout).toMatch(/kube-scheduler +running/);
  });

  it('mends what nobody should do to it: a record lost, the link to the host cut, certificates gone', async () => {
    const unrecorded = componentPid('kube-scheduler', name);
    rmSync(path.join(instance.stateFolder, 'processes', 'kube-scheduler.json'));
    await tryRun(['ip', 'link', 'delete', instance.hostLink]);
    await succeed(['up']);
    expect(findProcesses(instance)).not.toContain(unrecorded);
    rmSync(path.join(instance.stateFolder, 'certificates'), { recursive: true });
    await ensureUp(name);
    expect(await kubectl('get', 'nodes', '--no-headers')).toMatch(/ Ready /);
  });

  it('comes back with its pods after all of its processes were killed at once', async () => {
    for (const pid of findProcesses(instance)) killIfAlive(pid);
    await succeed(['up']);
    // For a moment the service still leads to the address of a pod that is no more.
    const get = ['timeout', '2', 'wget', '-qO-', 'http://to-static'];
    const ready = () => tryKubectl(['exec', 'web', '--', ...get]);
    expect((await eventually(ready, (result) => result.code === 0)).stdout).toBe(
      'hello from sandbox/static:1\n',
    );
  });

  it('is empty after reset, with the same kubeconfig', async () => {
    const before = readFileSync(instance.kubeconfig, 'utf8');
    await succeed(['reset']);
    expect(readFileSync(instance.kubeconfig, 'utf8')).toBe(before);
    expect(await kubectl('get', 'pods,services', '-A', '-o', 'name')).toBe(
      'service/kubernetes\nservice/kube-dns\n',
    );
  });

  it('starts anew after the machine did', async () => {
    await kubectl('create', 'configmap', 'of-the-last-boot');
    writeFileSync(path.join(instance.stateFolder, 'boot-id'), 'another boot');
    await succeed(['up']);
    expect(await kubectl('get', 'configmaps', '-o', 'name')).toBe('configmap/kube-root-ca.crt\n');
  });

  it('leaves nothing behind after down, pods and all', async () => {
    await apply(podOf('sandbox/web:1', 'last', { stdin: true }));
    await kubectl('wait', '--for=condition=Ready', 'pod/last', '--timeout=30s');
    expect((await findTraces(instance)).processes).not.toEqual([]);
    const started = Date.now();
    await succeed(['down']);
    console.log(`down: ${Date.now() - started} ms`);
    const nothing: Traces = {
      processes: [],
      commandLines: [],
      mounts: [],
      namespaces: [],
      links: [],
      cgroups: [],
      folders: [],
      firewallRules: [],
    };
    expect(await findTraces(describeInstance(name, instance.index))).toEqual(nothing);
    expect((await tryRun(['iptables-save'])).stdout.replace(/^#.*$/gm, '')).toBe(rulesBefore);
    expect(existingInstances()).not.toContain(name);
  });

  it('says so in one message when it is not up', async () => {
    for (const command of [['kubeconfig'], ['kubectl', 'get', 'pods']]) {
      const { code, stderr } = await sandbox(command);
      expect(code).toBe(1);
      expect(stderr).toBe('sandbox: Sandbox "selftest" is not up\nStart it: npm run -s sandbox -- up\n');
    }
    expect((await sandbox(['status'])).stdout).toBe('sandbox "selftest" is not up\n');
  });
});
