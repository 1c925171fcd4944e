import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StateName, ParamsOf, ValueOf } from '../../contract/api.ts';
import { startForm } from '../../contract/workloads.ts';
import type { Client } from '../../renderer/ipc/remote-client.ts';
import { connectToApp } from '../support/wire-client.ts';
import { App } from './support/app.ts';
import { Place } from './support/place.ts';

/** The first value that is as wanted. */
function valueWhen<Name extends StateName>(
  client: Client,
  name: Name,
  params: ParamsOf<Name>,
  isWanted: (value: ValueOf<Name>) => boolean,
): Promise<ValueOf<Name>> {
  return new Promise((resolve, reject) => {
    const watching = client.watch(name, params, ({ value, error }) => {
      if (error !== undefined) reject(new Error(error.message));
      else if (value !== undefined && isWanted(value)) resolve(value);
      else return;
      queueMicrotask(() => watching[Symbol.dispose]());
    });
  });
}

async function startSession(client: Client, place: Place): Promise<void> {
  const { order } = await valueWhen(client, 'clusters.list', {}, ({ order: ids }) => ids.length > 0);
  const form = startForm.parse({
    cluster: order[0],
    namespace: place.namespace,
    kind: 'Deployment',
    name: 'web',
    folder: place.project,
    containerPath: '/app',
    createPath: true,
    excludes: ['.git/'],
    ports: [],
    env: [],
  });
  const plan = await client.call('workloads.plan', form);
  expect(plan.obstacles).toEqual([]);
  const { session } = await client.call('sessions.start', { plan: plan.id });
  await valueWhen(client, 'sessions.detail', { session }, ({ summary }) => {
    if (summary.stage === 'failed') throw new Error(summary.sentence);
    return summary.stage === 'running';
  });
}

test('the first signal stops what runs and puts it back, with progress, and ends well', async () => {
  await using place = await Place.make('window-signals');
  const before = { deployment: await place.deployment(), objects: await place.objects() };
  await using app = await App.start();
  using connection = await connectToApp(app.url);
  await startSession(connection.client, place);
  expect((await place.deployment()).spec?.replicas).toBe(0);
  expect(await app.kill('SIGINT')).toBe(0);
  const stopping = app.output.split('\n').filter((line) => line.includes('"stopping"'));
  expect(stopping.length).toBeGreaterThan(1);
  expect(stopping.join('\n')).toContain(`${place.namespace}/web`);
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  await expect.poll(() => place.objects()).toEqual(before.objects);
});

test('the second signal leaves at once and says what helps', async () => {
  await using place = await Place.make('window-signals');
  const home = mkdtempSync(join(tmpdir(), 'slipway-window-'));
  try {
    await using app = await App.start({ home });
    using connection = await connectToApp(app.url);
    await startSession(connection.client, place);
    void app.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 600));
    const began = performance.now();
    const code = await app.kill('SIGINT');
    expect(performance.now() - began).toBeLessThan(5000);
    // It may have been done by then, on a fast machine.
    if (code !== 0) {
      expect(code).toBe(131);
      expect(app.output).toContain('slipway leftovers');
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
