import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, makeNamespace, testKubeconfig } from '../support/kubectl.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { kubeconfigWith, serviceAccount, testServer } from '../support/service-account.ts';
import { RunningSlipway, slipway, slipwayWithInput } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

/** How long a port may lead nowhere while its pod is replaced. */
const outageMs = 10_000;

describe('streams to a workload', () => {
  let scratch = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-forward-'));
    namespace = await makeNamespace('e2e-forward');
    await apply(webDeployment(namespace.name), webDeployment(namespace.name, { name: 'api', replicas: 1 }));
    for (const name of ['web', 'api'])
      await kubectl('-n', namespace.name, 'rollout', 'status', `deployment/${name}`, '--timeout=90s');
  });
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  const home = (): string => join(scratch, 'home');
  const start = (args: readonly string[], kubeconfig = testKubeconfig()): RunningSlipway =>
    new RunningSlipway({ home: home(), kubeconfig }, [...args, '-n', namespace.name]);

  /** 200, or what else came. */
  async function status(port: number, path = '/', timeoutMs = 2_000): Promise<number | string> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        signal,
        headers: { connection: 'close' },
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch (error) {
      return String(error);
    }
  }

  /** Asks again and again while `disturb` runs and until it has answered ten times in a row; the longest time without an answer. */
  async function longestOutage(port: number, disturb: () => Promise<unknown>): Promise<number> {
    let disturbed = false;
    const disturbing = disturb().finally(() => (disturbed = true));
    let longest = 0;
    let answers = 0;
    let lastAnswer = performance.now();
    while (!disturbed || answers < 10) {
      if ((await status(port)) === 200) {
        longest = Math.max(longest, performance.now() - lastAnswer);
        lastAnswer = performance.now();
        answers++;
      } else answers = 0;
      if (performance.now() - lastAnswer > 2 * outageMs) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await disturbing;
    return Math.max(longest, performance.now() - lastAnswer);
  }

  it('goes on at the same port across a rollout', async () => {
    const port = await freePort();
    await using forward = start(['forward', 'deploy/web', `${port}:8080`]);
    const { pod, ports } = await forward.ready();
    expect(ports).toEqual([{ local: port, remote: 8080, addresses: [`127.0.0.1:${port}`, `[::1]:${port}`] }]);
    const outage = await longestOutage(port, async () => {
      await kubectl('-n', namespace.name, 'rollout', 'restart', 'deployment/web');
      await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
      await kubectl('-n', namespace.name, 'wait', '--for=delete', `pod/${pod}`, '--timeout=60s');
    });
    expect(outage).toBeLessThan(outageMs);
    expect(await forward.stop()).toBe(0);
    expect(await status(port)).toMatch(/fetch failed/);
  });

  it('goes on at the same port when the dev pod of a session is deleted', async () => {
    const port = await freePort();
    const folder = mkdtempSync(join(scratch, 'src-'));
    writeFileSync(join(folder, 'index.html'), 'from the laptop');
    await using session = start(['dev', 'deploy/api', '--path', `${folder}:/app`, '--port', `${port}:8080`]);
    const { pod } = await session.ready();
    expect(await status(port)).toBe(200);
    const since = session.events.length;
    const outage = await longestOutage(port, () => kubectl('-n', namespace.name, 'delete', 'pod', pod));
    expect(outage).toBeLessThan(outageMs);
    const states = (): readonly string[] =>
      session.events
        .slice(since)
        .flatMap((event) =>
          event.event === 'health' && event.service === `forward ${port}:8080` ? [event.state] : [],
        );
    expect(states()[0]).toBe('reconnecting');
    // What answered is told through another pipe than the answer came by.
    await eventually(async () => expect(states().at(-1)).toBe('active'));
    await eventually(async () =>
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the laptop'),
    );
    expect(await session.stop()).toBe(0);
  });

  it('answers after 50 cancelled downloads, and holds nothing of them', async () => {
    const port = await freePort();
    await using forward = start(['forward', 'deploy/web', `${port}:8080`]);
    const { pod } = await forward.ready();
    const files = 'truncate -s 2G /app/big; echo small > /app/small';
    await kubectl('-n', namespace.name, 'exec', pod, '--', 'sh', '-c', files);
    expect(await status(port, '/small')).toBe(200);
    const descriptors = (): number => readdirSync(`/proc/${forward.child.pid ?? 0}/fd`).length;
    const before = descriptors();
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 10 }, () => status(port, '/big', 300)));
    }
    const started = performance.now();
    expect(await status(port, '/small')).toBe(200);
    expect(performance.now() - started).toBeLessThan(2_000);
    await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before));
  });

  it('names who holds a taken port, proposes a free one and takes none', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const result = await slipway(
      { home: home() },
      'forward',
      'deploy/web',
      `${port}:8080`,
      '-n',
      namespace.name,
    );
    holder.close();
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`127.0.0.1:${port} is taken`);
    expect(result.stderr).toContain(`(process ${process.pid})`);
    expect(result.stderr).toMatch(/choose another local port: \d+ is free/);
  });

  it('comes back within 30 seconds when the cluster was away', async () => {
    await using proxy = await startRecordingProxy(testServer());
    const rules = [
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
    ];
    const direct = await serviceAccount({ namespace: namespace.name, name: 'away', rules, folder: scratch });
    const kubeconfig = kubeconfigWith(direct, join(scratch, 'away'), (config) => {
      for (const entry of config.clusters)
        entry.cluster = { server: proxy.address, 'insecure-skip-tls-verify': true };
    });
    const port = await freePort();
    await using forward = start(['forward', 'deploy/web', `${port}:8080`], kubeconfig);
    await forward.ready();
    proxy.cut(true);
    await eventually(async () => expect(await status(port)).not.toBe(200));
    const restarted = kubectl('-n', namespace.name, 'rollout', 'restart', 'deployment/web');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await restarted;
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
    proxy.cut(false);
    await eventually(async () => expect(await status(port)).toBe(200), 30_000);
    expect(await forward.stop()).toBe(0);
  });

  describe('the input of a command', () => {
    const input = randomBytes(10 * 1024 * 1024);
    const digest = `${createHash('sha256').update(input).digest('hex')}  -\n`;
    const run = (kubeconfig: string, ...command: readonly string[]) =>
      slipwayWithInput(
        { home: home(), kubeconfig },
        input,
        'enter',
        'deploy/web',
        '-n',
        namespace.name,
        '--',
        ...command,
      );

    it('arrives whole and has an end', async () => {
      expect(await run(testKubeconfig(), 'sha256sum')).toMatchObject({ code: 0, stdout: digest });
      expect(await run(testKubeconfig(), 'sh', '-c', 'cat >/dev/null; exit 7')).toMatchObject({ code: 7 });
    });

    it('has an end too where a proxy does not know the protocol for it', async () => {
      await using proxy = await startRecordingProxy(testServer());
      proxy.withoutProtocol = 'v5.channel.k8s.io';
      const rules = [
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
      ];
      const direct = await serviceAccount({ namespace: namespace.name, name: 'old', rules, folder: scratch });
      const kubeconfig = kubeconfigWith(direct, join(scratch, 'old'), (config) => {
        for (const entry of config.clusters)
          entry.cluster = { server: proxy.address, 'insecure-skip-tls-verify': true };
      });
      const started = performance.now();
      expect(await run(kubeconfig, 'sha256sum')).toMatchObject({ code: 0, stdout: digest });
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(await run(kubeconfig, 'sh', '-c', 'cat >/dev/null; exit 7')).toMatchObject({ code: 7 });
    });
  });
});
