import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, makeNamespace, testKubeconfig } from '../support/kubectl.ts';
import { certificate } from '../support/recording-proxy.ts';
import { kubeconfigWith, serviceAccount, type Kubeconfig } from '../support/service-account.ts';
import { RunningSlipway, slipway, slipwayCommand } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

/** Every command says within this time that nothing can be reached. */
const patienceMs = 10_000;

describe('signing in', () => {
  let scratch = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  /** Of an account that may find, forward and list. */
  let kubeconfig = '';
  let token = '';

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-sign-in-'));
    namespace = await makeNamespace('e2e-sign-in');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    kubeconfig = await serviceAccount({
      namespace: namespace.name,
      name: 'dev',
      folder: scratch,
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
      ],
    });
    const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    token = String(config.users[0]?.user['token']);
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  const newFolder = (): string => mkdtempSync(join(scratch, 'run-'));

  /** A credential plugin in a folder of its own: a script, then the credential. */
  function pluginIn(folder: string, script: string, expiresIn?: string): string {
    const path = join(folder, 'myauth');
    const expiry =
      expiresIn === undefined
        ? ''
        : `,"expirationTimestamp":"'$(date -u -d '${expiresIn}' +%Y-%m-%dT%H:%M:%SZ)'"`;
    const credential = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"${expiry}}}`;
    writeFileSync(path, `#!/bin/sh\n${script}\necho '${credential}'\n`);
    chmodSync(path, 0o700);
    return path;
  }

  const withPlugin = (folder: string, command: string, interactiveMode: string): string =>
    kubeconfigWith(kubeconfig, join(folder, 'kubeconfig'), (config) => {
      const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode };
      for (const entry of config.users) entry.user = { exec };
    });

  function errorIn(stdout: string): ErrorValue {
    const errors = stdout.split('\n').filter((line) => line.includes('"event":"error"'));
    expect(errors, stdout).toHaveLength(1);
    return JSON.parse(errors[0] ?? '') as ErrorValue;
  }

  describe('with a plugin that only the login shell finds', () => {
    /** As an app that is started from a menu: a short PATH and no SHELL. */
    async function run(profile: Readonly<Record<string, string>>, shell?: string) {
      const home = newFolder();
      const bin = join(home, 'bin');
      mkdirSync(bin);
      pluginIn(bin, '');
      for (const [name, text] of Object.entries(profile)) writeFileSync(join(home, name), text);
      const config = withPlugin(home, 'myauth', 'Never');
      const started = performance.now();
      const result = await slipway(
        { home, kubeconfig: config, env: { HOME: home, PATH: '/usr/bin:/bin', SHELL: shell } },
        'list',
        'workloads',
        '--json',
      );
      return { ...result, took: performance.now() - started };
    }

    it.each([
      ['.profile', { '.profile': 'PATH="$HOME/bin:$PATH"\n' }, undefined],
      ['.bashrc', { '.bashrc': 'PATH="$HOME/bin:$PATH"\n' }, '/bin/bash'],
      ['a profile that talks', { '.profile': 'echo hello\nPATH="$HOME/bin:$PATH"\n' }, undefined],
      ['a profile that asks', { '.profile': 'read x\nPATH="$HOME/bin:$PATH"\n' }, undefined],
    ] as const)('works with %s', async (_name, profile, shell) => {
      const { code, stdout, stderr } = await run(profile, shell);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('"name":"web"');
    });

    it.each([
      ['sleeps', 'sleep 60\nPATH="$HOME/bin:$PATH"\n'],
      ['becomes another program', 'exec cat\n'],
    ])('says where it looked when the profile %s', async (_name, profile) => {
      const { code, stdout, took } = await run({ '.profile': profile });
      expect(code).toBe(1);
      expect(errorIn(stdout)).toMatchObject({
        code: 'credential.plugin-missing',
        message: expect.stringContaining('myauth') as string,
        cause: expect.stringMatching(/PATH, which is \/usr\/bin:\/bin\. The login shell/) as string,
      });
      expect(took).toBeLessThan(patienceMs);
    });
  });

  it('runs a plugin again when its credential ends, and not for each request', async () => {
    const folder = newFolder();
    const calls = join(folder, 'calls');
    const config = withPlugin(folder, pluginIn(folder, `echo call >> ${calls}`, '+5 seconds'), 'Never');
    const port = await freePort();
    await using forward = new RunningSlipway({ home: folder, kubeconfig: config }, [
      'forward',
      'deploy/web',
      `${port}:8080`,
    ]);
    await forward.ready();
    const statuses = new Set<number>();
    const until = performance.now() + 12_000;
    while (performance.now() < until) {
      const headers = { connection: 'close' };
      const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/`, { headers })).status;
      for (const status of await Promise.all([ask(), ask(), ask()])) statuses.add(status);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect([...statuses]).toEqual([200]);
    expect(await forward.stop()).toBe(0);
    expect(forward.events.filter((event) => event.event === 'error')).toEqual([]);
    const count = readFileSync(calls, 'utf8').trim().split('\n').length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(count).toBeLessThanOrEqual(5);
  });

  describe('with a plugin that asks a person', () => {
    const question =
      'echo "Open https://login.invalid code AB-12" >&2; printf "user: " >&2; read u; [ "$u" = eve ] || exit 1';

    it('shows its words at once and passes on the answer, from a terminal', async () => {
      const folder = newFolder();
      const config = withPlugin(folder, pluginIn(folder, question), 'IfAvailable');
      const { command, args, env } = slipwayCommand({ home: folder, kubeconfig: config }, [
        'list',
        'workloads',
      ]);
      const line = [command, ...args].map((word) => `'${word}'`).join(' ');
      // `script` gives it a terminal, as a person's has.
      const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const hadAsked = output.includes('user: ');
        output += text;
        if (!hadAsked && output.includes('user: ')) child.stdin.write('eve\n');
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(output).toContain('Open https://login.invalid code AB-12');
      expect(output).toMatch(/Deployment +web/);
      expect(code).toBe(0);
    });

    it('gives it the end of input where nobody is', async () => {
      const folder = newFolder();
      const config = withPlugin(folder, pluginIn(folder, question), 'IfAvailable');
      const { code, stdout } = await slipway(
        { home: folder, kubeconfig: config },
        'list',
        'workloads',
        '--json',
      );
      expect(code).toBe(1);
      expect(errorIn(stdout)).toMatchObject({
        code: 'credential.plugin-failed',
        cause: expect.stringContaining('AB-12') as string,
      });
    });
  });

  describe('to one of many contexts', () => {
    let connections = 0;
    let counting: Server;
    beforeAll(async () => {
      counting = createTcpServer((socket) => {
        connections++;
        socket.destroy();
      });
      await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => counting.close());

    it('connects to no other', async () => {
      connections = 0;
      const folder = newFolder();
      const { port } = counting.address() as AddressInfo;
      const config = kubeconfigWith(kubeconfig, join(folder, 'kubeconfig'), (change) => {
        for (let index = 0; index < 50; index++) {
          const name = `other-${index}`;
          change.clusters.push({ name, cluster: { server: `https://127.0.0.1:${port}` } });
          change.contexts.push({ name, context: { cluster: name, user: change.users[0]?.name ?? '' } });
        }
      });
      const options = { home: folder, kubeconfig: config };
      expect((await slipway(options, 'list', 'contexts', '--json')).stdout.trim().split('\n')).toHaveLength(
        51,
      );
      expect((await slipway(options, 'list', 'workloads', '--json')).stdout).toContain('"name":"web"');
      await using forward = new RunningSlipway(options, [
        'forward',
        'deploy/web',
        `${await freePort()}:8080`,
      ]);
      await forward.ready();
      expect(await forward.stop()).toBe(0);
      expect(connections).toBe(0);
      await slipway(options, 'list', 'workloads', '--kube-context', 'other-7');
      expect(connections).toBeGreaterThan(0);
    });
  });

  describe('to a server that takes connections and never answers', () => {
    let silent: ReturnType<typeof createTlsServer>;
    let config = '';
    beforeAll(async () => {
      silent = createTlsServer(certificate(), (socket) => socket.on('error', () => undefined).resume());
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      config = kubeconfigWith(testKubeconfig(), join(scratch, 'silent'), (change) => {
        for (const entry of change.clusters)
          entry.cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
        for (const entry of change.users) entry.user = { token: 'any' };
      });
    });
    afterAll(() => silent.close());

    it('ends every command within 10 seconds', async () => {
      const folder = newFolder();
      const commands = [
        ['list', 'workloads'],
        ['leftovers'],
        ['forward', 'deploy/web', '8080'],
        ['dev', 'deploy/web', '--path', `${folder}:/app`],
      ];
      const idle = performance.now();
      await slipway({ home: folder, kubeconfig: config }, 'version');
      // Four that start at once share the machine; what starting costs is not what the command waits.
      const startUpMs = commands.length * (performance.now() - idle);
      await Promise.all(
        commands.map(async (command) => {
          const started = performance.now();
          const result = await slipway({ home: folder, kubeconfig: config }, ...command, '--json');
          expect(errorIn(result.stdout)).toMatchObject({ code: 'cluster.timeout' });
          expect(result.code).toBe(1);
          expect(performance.now() - started).toBeLessThan(patienceMs + startUpMs);
        }),
      );
    });
  });
});
