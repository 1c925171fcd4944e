import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { Guard } from '../../contract/settings.ts';
import { RemoteError } from '../../renderer/ipc/remote-error.ts';
import type { Client } from '../../renderer/ipc/remote-client.ts';
import { kubectl } from '../support/kubectl.ts';
import { connectToApp } from '../support/wire-client.ts';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { contentOf, Place } from './support/place.ts';
import { lineOnScreen, typeLine } from './support/screen.ts';
import { inSync, openWorkload, stopSession } from './support/steps.ts';
import { onlyCluster, planSession, startOverWire, valueWhen } from './support/wire-steps.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const size = { columns: 80, rows: 24 };

/** Chooses the guard of the only cluster, and waits until the app shows it. */
async function guardWith(client: Client, guard: Guard): Promise<string> {
  const cluster = await onlyCluster(client);
  await client.call('settings.update', { patch: { clusters: { [cluster]: { guard } } } });
  await valueWhen(client, 'clusters.list', {}, ({ items }) => items[cluster]?.guard === guard);
  return cluster;
}

/** The codes of refusals, one after the other; what was answered where there was none. */
async function refusals(...calls: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const call of calls) {
    const codeOf = (error: unknown): unknown => (error instanceof RemoteError ? error.value.code : error);
    answers.push(await call().catch(codeOf));
  }
  return answers;
}

/** Everything that Slipway could have changed, as the server counts changes. */
async function versions({ namespace }: Place): Promise<string> {
  const kinds = 'deployments,replicasets,leases,pods,configmaps,secrets,services,serviceaccounts';
  const columns =
    'custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid,GENERATION:.metadata.generation';
  return kubectl('-n', namespace, 'get', kinds, '-o', columns);
}

async function podOf({ namespace }: Place): Promise<string> {
  const names = await kubectl('-n', namespace, 'get', 'pods', '-l', 'app=web', '-o', 'name');
  return names.trim().split('\n')[0]?.replace('pod/', '') ?? '';
}

function colorOf(part: Locator): Promise<string> {
  return part.evaluate((element) => getComputedStyle(element).backgroundColor);
}

/** Nothing looks into the containers of a guarded context, so nobody but the user knows the folder there. */
async function fillForm(page: Page, { project }: Place): Promise<void> {
  await page.getByRole('tab', { name: 'Start' }).click();
  await page.getByLabel('Folder on this machine').fill(project);
  await page.getByLabel('Folder in the container').fill('/app');
  await page.getByRole('button', { name: /^Remove port/ }).click();
}

test('a read-only context offers no Start, and main refuses every change whoever asks', async () => {
  await using place = await Place.make('window-readonly');
  await using app = await App.start();
  using connection = await connectToApp(app.url);
  const { client } = connection;
  const { namespace, project: folder } = place;
  const early = await planSession(client, { namespace, name: 'web', folder });
  const cluster = await guardWith(client, 'read-only');
  await using window = await browser.open(app.url);
  const { page } = window;
  await openWorkload(page, place);
  const before = await versions(place);
  await page.getByRole('note').getByText('Read-only').waitFor();
  await fillForm(page, place);
  const reason = page.getByRole('main').getByRole('status').filter({ hasText: 'is read-only in Slipway.' });
  await reason.waitFor();
  const start = page.getByRole('button', { name: 'Replace web (2 → 0) and start web-dev' });
  expect(await start.isDisabled()).toBe(true);
  await start.click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);

  const pod = await podOf(place);
  const late = await planSession(client, { namespace, name: 'web', folder });
  expect(late.obstacles.map(({ code }) => code)).toContain('cluster.read-only');
  const refused = await refusals(
    // A plan from before the guard was chosen is no way around it.
    () => client.call('sessions.start', { plan: early.id, confirmation: 'web' }),
    () => client.call('sessions.start', { plan: late.id, confirmation: 'web' }),
    () =>
      client.call('terminals.open', {
        target: { kind: 'pod', cluster, namespace, pod, confirmation: pod },
        size,
      }),
    () =>
      client.call('leftovers.act', {
        cluster,
        keys: [`session:${namespace}/any`],
        action: 'restore',
        confirmation: 'any',
      }),
    () => client.call('leftovers.act', { cluster, keys: [`session:${namespace}/any`], action: 'remove' }),
    () => client.call('app.createSample', { cluster, confirmation: 'any' }),
  );
  expect(new Set(refused)).toEqual(new Set(['cluster.read-only']));
  expect(Object.keys((await valueWhen(client, 'sessions.list', {}, () => true)).items)).toEqual([]);
  expect(await versions(place)).toBe(before);
  expect(window.complaints).toEqual([]);
});

test('a session whose context became read-only goes on, opens no new shell, and puts everything back', async () => {
  await using place = await Place.make('window-became-readonly');
  await using app = await App.start();
  using connection = await connectToApp(app.url);
  const { client } = connection;
  const { namespace, project: folder } = place;
  const session = await startOverWire(client, { namespace, name: 'web', folder });
  const target = { kind: 'session', session } as const;
  const { terminal } = await client.call('terminals.open', { target, size });
  await valueWhen(client, 'terminals.list', {}, ({ items }) => items[terminal]?.state === 'open');
  await guardWith(client, 'read-only');
  expect(await refusals(() => client.call('terminals.open', { target, size }))).toEqual([
    'cluster.read-only',
  ]);
  await client.call('terminals.restart', { terminal, size });
  await valueWhen(
    client,
    'terminals.list',
    {},
    ({ items }) => items[terminal]?.error?.code === 'cluster.read-only',
  );
  // What was begun goes on.
  writeFileSync(join(folder, 'later.txt'), 'saved later');
  await expect
    .poll(async () => contentOf(join(await place.inContainer('app'), 'later.txt')))
    .toBe('saved later');
  expect((await place.deployment()).spec?.replicas).toBe(0);
  await client.call('sessions.stop', { session });
  const { result } = await valueWhen(
    client,
    'sessions.detail',
    { session },
    ({ summary }) => summary.stage === 'ended' || summary.stage === 'left',
  );
  expect(result).toMatchObject({ remaining: [] });
  expect((await place.deployment()).spec?.replicas).toBe(2);
});

test('a context with confirmation starts nothing before the name is typed, in the window and in main', async () => {
  await using place = await Place.make('window-confirm');
  await using app = await App.start();
  using connection = await connectToApp(app.url);
  const { client } = connection;
  const { namespace, project: folder } = place;
  const cluster = await guardWith(client, 'confirm');
  await using window = await browser.open(app.url);
  const { page } = window;
  await openWorkload(page, place);
  const strip = page.getByRole('note').filter({ hasText: 'Confirm' });
  await strip.waitFor();
  const before = await versions(place);
  const pod = await podOf(place);
  const { id: plan, confirm } = await planSession(client, { namespace, name: 'web', folder });
  expect(confirm?.type).toBe('web');
  const target = { kind: 'pod', cluster, namespace, pod } as const;
  const key = `session:${namespace}/any`;
  const refused = await refusals(
    () => client.call('sessions.start', { plan }),
    () => client.call('sessions.start', { plan, confirmation: '' }),
    () => client.call('sessions.start', { plan, confirmation: 'WEB' }),
    () => client.call('sessions.start', { plan, confirmation: 'web ' }),
    () => client.call('terminals.open', { target, size }),
    () => client.call('terminals.open', { target: { ...target, confirmation: 'web' }, size }),
    () => client.call('leftovers.act', { cluster, keys: [key], action: 'restore' }),
    () => client.call('leftovers.act', { cluster, keys: [key], action: 'remove', confirmation: 'any' }),
    () => client.call('app.createSample', { cluster }),
  );
  expect(new Set(refused)).toEqual(new Set(['cluster.confirmation-needed']));
  expect(await versions(place)).toBe(before);

  await fillForm(page, place);
  await page.getByRole('button', { name: 'Replace web (2 → 0) and start web-dev' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace web (2 → 0) and start web-dev' });
  const start = dialog.getByRole('button', { name: 'Start', exact: true });
  expect(await start.isDisabled()).toBe(true);
  await dialog.getByLabel('Type web to go on').fill('wep');
  expect(await start.isDisabled()).toBe(true);
  await dialog.getByLabel('Type web to go on').press('Enter');
  expect(await dialog.isVisible()).toBe(true);
  expect(await versions(place)).toBe(before);
  await dialog.getByLabel('Type web to go on').fill('web');
  await start.click();
  await inSync(page);

  // Whoever types in the shell sees where: the word, and the colour of the strip above.
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await lineOnScreen(page, /[#$]$/);
  await typeLine(page, "echo gua''rded");
  await lineOnScreen(page, 'guarded');
  const terminal = page.getByRole('region', { name: /^Terminal in/ });
  await terminal.getByText('confirm', { exact: true }).waitFor();
  expect(await strip.isVisible()).toBe(true);
  const guardColor = await colorOf(strip);
  expect(guardColor).not.toBe('rgba(0, 0, 0, 0)');
  expect(await colorOf(terminal.locator('> div').first())).toBe(guardColor);
  await stopSession(page);
  expect((await place.deployment()).spec?.replicas).toBe(2);
  expect(window.complaints).toEqual([]);
});
