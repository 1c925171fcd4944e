import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from 'vitest';
import { testKubeconfig } from '../support/kubectl.ts';
import { kubeconfigWith, serviceAccount, testServer } from '../support/service-account.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import type { RunningSlipway } from '../support/slipway.ts';
import { accountThrough } from './support/account.ts';
import { freshContent } from './support/content.ts';
import { passesWhen } from './support/criterion.ts';
import { ExecProxy } from './support/exec-proxy.ts';
import { FaultRig } from './support/fault-rig.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
let folder = '';
beforeAll(async () => {
  namespace = await podsOf('f10', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-kube-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The one error with which a sync ended that cannot begin. */
async function errorOf(sync: RunningSlipway): Promise<{ code: string; message: string; next: string }> {
  expect(await sync.exited).toBe(1);
  const errors = sync.events.filter((event) => event.event === 'error');
  expect(errors).toHaveLength(1);
  return errors[0] as { code: string; message: string; next: string } & (typeof errors)[0];
}

it('F10 cluster without the newest WebSocket protocol', async ({ task }) => {
  passesWhen(task, 'the older one is used at once: one upgrade a command, and sync works both ways');
  await using proxy = await ExecProxy.start(testServer());
  proxy.offer = (name) => !name.startsWith('v5');
  const kubeconfig = await accountThrough(proxy.address, namespace.name, folder);
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
  rig.write('here', 'up', freshContent(100_000));
  rig.write('there', 'down', freshContent(100_000));
  await rig.start();
  await rig.converged(5_000);
  // Looking, sending the helper, its two streams; a fallback may cost one more each.
  expect(proxy.upgrades).toBeLessThanOrEqual(8);
  await rig.verify();
});

for (const status of [400, 403] as const) {
  it(`F10 WebSockets answered with ${status}`, async ({ task }) => {
    passesWhen(task, 'one error says precisely that exec over a WebSocket was refused, and what to do');
    await using proxy = await ExecProxy.start(testServer());
    proxy.refuse = { status, body: 'WebSockets are not spoken here' };
    const kubeconfig = await accountThrough(proxy.address, namespace.name, folder);
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
    const error = await errorOf(rig.launch());
    expect(error).toMatchObject({
      code: expect.stringMatching(/^stream\.|^rights\.|^cluster\.forbidden/) as string,
    });
    expect(error.next).not.toBe('');
    expect(proxy.upgrades).toBeLessThanOrEqual(2);
  });
}

it('F10 right to exec missing', async ({ task }) => {
  passesWhen(task, 'one error names the right that is missing');
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }];
  const kubeconfig = await serviceAccount({ namespace: namespace.name, name: 'noexec', rules, folder });
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
  const error = await errorOf(rig.launch());
  expect(JSON.stringify(error)).toMatch(/pods\/exec/);
});

it('F10 HTTP proxy in between', async ({ task }) => {
  passesWhen(task, 'sync works through CONNECT, both ways');
  let tunnels = 0;
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(head.toString()) ?? [];
      tunnels++;
      const server = connect({ host, port: Number(port) }, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(server).pipe(socket);
      });
      server.on('error', () => socket.destroy());
      socket.on('close', () => server.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const kubeconfig = kubeconfigWith(testKubeconfig(), join(folder, 'kubeconfig-proxy'), (config) => {
    const { port } = proxy.address() as AddressInfo;
    for (const { cluster } of config.clusters) cluster['proxy-url'] = `http://127.0.0.1:${port}`;
  });
  {
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
    rig.write('here', 'up', freshContent(100_000));
    rig.write('there', 'down', freshContent(100_000));
    await rig.start();
    await rig.converged(5_000);
    expect(tunnels).toBeGreaterThan(0);
    await rig.verify();
  }
  proxy.close();
});
