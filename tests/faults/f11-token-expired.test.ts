import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubectl } from '../support/kubectl.ts';
import { kubeconfigWith, serviceAccount, type Kubeconfig } from '../support/service-account.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Literally 60 s. */
const hangSeconds = 12;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f11', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F11 token that ends during a sync, from a plugin that then hangs', async ({ task }) => {
  passesWhen(
    task,
    'the streams that there are stay, a new one gets a new token, the plugin runs once for it, and the sync answers meanwhile',
  );
  const folder = mkdtempSync(join(tmpdir(), 'slipway-kube-'));
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['*'] }];
  const tokenOf = (kubeconfig: string): string =>
    String((parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig).users[0]?.user['token']);
  const first = await serviceAccount({ namespace: namespace.name, name: 'first', rules, folder });
  const second = await serviceAccount({ namespace: namespace.name, name: 'second', rules, folder });
  const [token, runs, slow] = ['token', 'runs', 'slow'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(token, tokenOf(first));
  writeFileSync(slow, '0');
  writeFileSync(runs, '');
  const plugin = join(folder, 'plugin');
  writeFileSync(
    plugin,
    `#!/bin/sh\necho run >>${runs}\nseconds="$(cat ${slow})"\n[ "$seconds" = 60 ] || echo 0 >${slow}\nsleep "$seconds"\nprintf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat ${token})"\n`,
  );
  chmodSync(plugin, 0o755);
  await using proxy = await TcpProxy.start();
  const kubeconfig = kubeconfigWith(first, join(folder, 'kubeconfig-plugin'), (config) => {
    for (const { cluster } of config.clusters) cluster['server'] = proxy.address;
    for (const entry of config.users) {
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: plugin,
        interactiveMode: 'Never',
      };
      entry.user = { exec };
    }
  });
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
  rig.write('here', 'a', freshContent());
  await rig.start();
  rig.read();
  await kubectl('-n', namespace.name, 'delete', 'serviceaccount', 'first');
  await sleep(500);
  rig.write('here', 'b', freshContent());
  rig.write('there', 'c', freshContent());
  await rig.converged(2_000);
  expect(rig.honesty.states.filter(({ state }) => state === 'reconnecting')).toEqual([]);

  writeFileSync(token, tokenOf(second));
  writeFileSync(slow, String(hangSeconds));
  const before = readFileSync(runs, 'utf8').length;
  const cutAt = Date.now();
  await proxy.run({ kind: 'cut' });
  rig.write('here', 'b', freshContent());
  rig.write('there', 'c', freshContent());
  await sleep(2_000);
  expect(rig.honesty.find(cutAt, ({ state }) => state === 'reconnecting')).toBeDefined();
  const took = await rig.converged(hangSeconds * 1000 + 5_000, cutAt);
  const ran = (readFileSync(runs, 'utf8').length - before) / 'run\n'.length;
  measured(task, `the plugin ran ${ran} times, in sync ${took} ms after the cut`);
  // The one that hung and was stopped, and the one that answered.
  expect(ran).toBeLessThanOrEqual(3);

  // And it can be ended while the plugin hangs.
  await kubectl('-n', namespace.name, 'delete', 'serviceaccount', 'second');
  await sleep(500);
  writeFileSync(slow, '60');
  await rig.verify({ stop: false });
  await proxy.run({ kind: 'cut' });
  await sleep(1_500);
  const endedAt = Date.now();
  await rig.sync.stop();
  measured(task, `ended ${Date.now() - endedAt} ms after Ctrl-C while the plugin hung`);
  expect(Date.now() - endedAt).toBeLessThan(allowed(12_000));
  rmSync(folder, { recursive: true });
}, 180_000);
