import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlWithInput } from '../support/kubectl.ts';
import { serviceAccount } from '../support/service-account.ts';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { Place } from './support/place.ts';
import { openCluster } from './support/steps.ts';

let browser: TestBrowser;
let folder = '';
beforeAll(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), 'slipway-rights-'));
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('few rights are shown with the Role that is missing, and Start says why it cannot', async () => {
  await using place = await Place.make('window-rights');
  const kubeconfig = await serviceAccount({
    namespace: place.namespace,
    name: 'reader',
    rules: [
      { apiGroups: [''], resources: ['pods', 'events', 'services'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs: ['get', 'list', 'watch'] },
    ],
    folder,
  });
  const before = { deployment: await place.deployment(), objects: await place.objects() };
  await using app = await App.start({ kubeconfig });
  await using window = await browser.open(app.url, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = window;
  await openCluster(page);
  await page
    .getByRole('grid', { name: 'Workloads' })
    .getByRole('gridcell', { name: 'web', exact: true })
    .click();

  await page.getByRole('tab', { name: 'Preflight' }).click();
  await page.getByText(/^You lack rights to: .*replace by a dev pod/).waitFor();
  const replacing = page.getByRole('region', { name: 'Replace by a dev pod' });
  const right = (text: string) => replacing.getByRole('listitem').filter({ hasText: text });
  expect(await right('create deployments.apps').textContent()).toContain('denied');
  expect(await right('watch pods').textContent()).toContain('allowed');
  const role = page.getByRole('region', { name: 'Role that gives what is missing' });
  await role.getByRole('button', { name: 'Copy the Role' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('kind: Role');
  expect(copied).toContain('pods/exec');

  await page.getByRole('tab', { name: 'Start' }).click();
  await page.getByLabel('Folder on this machine').fill(place.project);
  await page.getByLabel('Folder in the container').fill('/app');
  const plan = page.getByRole('region', { name: 'Flight plan' }).first();
  await plan
    .getByRole('alert')
    .getByText(/create deployments\.apps/)
    .waitFor();
  await page
    .getByRole('main')
    .getByRole('status')
    .getByText(/^You may not do everything that a session .* needs\.$/)
    .waitFor();
  expect(await page.getByRole('button', { name: /^Replace web/ }).isDisabled()).toBe(true);

  // What is copied is what is missing: with it everything is allowed.
  await kubectlWithInput(copied, 'apply', '-f', '-');
  await page.getByRole('tab', { name: 'Preflight' }).click();
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Ask Again' }).click();
        return page.getByText('You have every right that a session needs here.').isVisible();
      },
      { timeout: 30_000, interval: 2_000 },
    )
    .toBe(true);
  expect(await place.objects()).toEqual(before.objects);
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  expect(window.complaints).toEqual([]);
});
