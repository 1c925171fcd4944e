import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { Place } from './support/place.ts';
import { fillStartForm, openCluster, openWorkload, startSession } from './support/steps.ts';

let browser: TestBrowser;
let home = '';
beforeAll(async () => {
  browser = await startBrowser();
  home = mkdtempSync(join(tmpdir(), 'slipway-window-'));
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

test('an app that was killed says so in its window, and the next one restores what it left', async () => {
  await using place = await Place.make('window-killed');
  const before = { deployment: await place.deployment(), objects: await place.objects() };
  {
    await using app = await App.start({ home });
    await using window = await browser.open(app.url);
    await openWorkload(window.page, place);
    await fillStartForm(window.page, place);
    await startSession(window.page);
    await app.kill('SIGKILL');
    await window.page.getByRole('alert').first().waitFor();
  }
  expect((await place.deployment()).spec?.replicas).toBe(0);

  await using app = await App.start({ home });
  await using window = await browser.open(app.url);
  const { page } = window;
  await openCluster(page);
  await page
    .getByRole('navigation', { name: 'Namespaces and sessions' })
    .getByRole('link', { name: /^Leftovers/ })
    .click();
  const row = page.getByRole('row').filter({ hasText: place.namespace });
  await row.getByText('Nobody runs it').waitFor();
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Restore/ });
  await dialog.getByRole('listitem').filter({ hasText: 'web-dev' }).first().waitFor();
  expect((await place.deployment()).spec?.replicas).toBe(0);
  await dialog.getByRole('button', { name: /^Restore/ }).click();
  await page.getByRole('list', { name: 'Results' }).getByText('Done').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => place.objects()).toEqual(before.objects);
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  expect(window.complaints).toEqual([]);
});
