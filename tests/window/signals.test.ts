import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../renderer/ipc/remote-client.ts';
import { connectToApp } from '../support/wire-client.ts';
import { App } from './support/app.ts';
import { Place } from './support/place.ts';
import { planSession, valueWhen } from './support/wire-steps.ts';

async function startSession(client: Client, place: Place): Promise<void> {
  const { namespace, project: folder } = place;
  const plan = await planSession(client, { namespace, name: 'web', folder });
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
