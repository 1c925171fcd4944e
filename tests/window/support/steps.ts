import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Place } from './place.ts';

/** A pod has to start for it. */
const syncWithinMs = 90_000;

/** Chooses the one cluster in the rail. */
export async function openCluster(page: Page): Promise<void> {
  const clusters = page.getByRole('navigation', { name: 'Clusters' });
  await clusters.getByRole('listitem').first().getByRole('link').click();
}

/** Goes to a workload the way a person does: the cluster in the rail, the namespace beside it, the row of the table. */
export async function openWorkload(page: Page, { namespace }: Place): Promise<void> {
  await openCluster(page);
  await page
    .getByRole('navigation', { name: 'Namespaces and sessions' })
    .getByRole('link', { name: namespace })
    .click();
  await page
    .getByRole('grid', { name: 'Workloads' })
    .getByRole('gridcell', { name: 'web', exact: true })
    .click();
  await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
}

/** Fills the Start form in and waits for the flight plan. */
export async function fillStartForm(page: Page, place: Place, port?: number): Promise<void> {
  await page.getByRole('tab', { name: 'Start' }).click();
  await page.getByLabel('Folder on this machine').fill(place.project);
  // Detected from the workload and the running container.
  await expect.poll(() => page.getByLabel('Folder in the container').inputValue()).toBe('/app');
  await expect.poll(() => page.getByLabel('Port in the container 1').inputValue()).toBe('8080');
  if (port === undefined) await page.getByRole('button', { name: /^Remove port/ }).click();
  else await page.getByLabel('Local port 1').fill(String(port));
  const command = page.getByRole('region', { name: 'the command' });
  const ports = port === undefined ? /node_modules\/\s*$/ : `--port ${port}:8080`;
  await command.filter({ hasText: ports }).waitFor();
}

/** Presses Start and waits until both sides are alike. */
export async function startSession(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Replace web (2 → 0) and start web-dev' }).click();
  await inSync(page);
}

export async function inSync(page: Page): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('status')
    .getByText(/^In sync since/)
    .waitFor({ timeout: syncWithinMs });
}

/** Stops the session that is shown, after its list, and waits for its end. */
export async function stopSession(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Stop and Restore' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop and restore web?' });
  await dialog.getByText('Deployment/web: spec.replicas goes from 0 back to 2.').waitFor();
  await dialog.getByRole('button', { name: 'Stop and Restore' }).click();
  await page
    .getByRole('main')
    .getByText(/everything is as it was/)
    .first()
    .waitFor();
}

/** Types a line into the session's shell. */
export async function typeInTerminal(page: Page, line: string): Promise<void> {
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.locator('[data-terminal] textarea').focus();
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}
