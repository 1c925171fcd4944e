import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { contentOf, hashOf, Place } from './support/place.ts';
import {
  fillStartForm,
  inSync,
  openWorkload,
  startSession,
  stopSession,
  typeInTerminal,
} from './support/steps.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('from an empty home folder to a session and back to a clean cluster', async () => {
  await using place = await Place.make('window-path');
  await using app = await App.start();
  await using window = await browser.open(app.url);
  const { page } = window;
  const before = { deployment: await place.deployment(), objects: await place.objects() };
  const port = await freePort();

  await openWorkload(page, place);
  await page.getByRole('tab', { name: 'Preflight' }).click();
  await page.getByText('You have every right that a session needs here.').waitFor();
  await fillStartForm(page, place, port);
  const plan = page.getByRole('region', { name: 'Flight plan' }).first();
  await plan.getByText('Replace web (2 → 0) and start web-dev, as sandbox-admin.').waitFor();
  await plan.getByText('The cluster would admit the dev pod: a dry run of it passed.').waitFor();
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  expect(await place.objects()).toEqual(before.objects);

  await startSession(page);
  expect((await place.deployment()).spec?.replicas).toBe(0);

  const greeting = `<p>${'from the laptop '.repeat(1000)}</p>`;
  writeFileSync(join(place.project, 'index.html'), greeting);
  const remoteGreeting = await place.inContainer('app/index.html');
  await expect.poll(() => hashOf(remoteGreeting)).toBe(hashOf(join(place.project, 'index.html')));
  await inSync(page);
  const forwarded = await fetch(`http://127.0.0.1:${port}/index.html`);
  expect(await forwarded.text()).toBe(greeting);

  const remoteNote = await place.inContainer('app/note.txt');
  writeFileSync(remoteNote, 'from the container');
  await expect.poll(() => hashOf(join(place.project, 'note.txt'))).toBe(hashOf(remoteNote));

  await typeInTerminal(page, 'echo "typed $((40 + 2))" | tee /proc/1/fd/1 > typed.txt');
  await expect.poll(() => contentOf(join(place.project, 'typed.txt'))).toBe('typed 42\n');
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page.getByRole('region', { name: 'Lines of the session' }).getByText('typed 42').waitFor();

  await page.getByRole('tab', { name: 'Sync' }).click();
  await page.getByRole('main').getByText('note.txt').first().waitFor();
  await page.getByRole('tab', { name: 'Ports' }).click();
  await page.getByRole('main').getByText(`localhost:${port} → 8080`).waitFor();
  await page.getByRole('tab', { name: 'Changes' }).click();
  const changes = page.getByRole('region', { name: 'Changes in the Cluster' });
  await changes.getByRole('listitem').filter({ hasText: 'Deployment/web-dev' }).waitFor();
  await changes
    .getByRole('listitem')
    .filter({ hasText: /Deployment\/web.*spec\.replicas.*2.*→.*0/ })
    .waitFor();

  await stopSession(page);
  await expect.poll(() => place.objects()).toEqual(before.objects);
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  expect(hashOf(join(place.project, 'note.txt'))).not.toBe('missing');
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect(window.complaints).toEqual([]);
  expect(await app.kill('SIGTERM')).toBe(0);
});
