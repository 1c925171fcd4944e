import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { contentOf, hashOf, Place } from './support/place.ts';
import { fillStartForm, inSync, openWorkload, startSession, stopSession } from './support/steps.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const path = 'both.txt';
const lines = (middle: string): string => `first\n${middle}\nlast\n`;

test('both versions of a conflict are shown, the other one is taken, and a deleted file comes back from the trash', async () => {
  await using place = await Place.make('window-versions');
  await using app = await App.start();
  await using window = await browser.open(app.url);
  const { page } = window;
  const here = join(place.project, path);
  writeFileSync(here, lines('as it began'));
  await openWorkload(page, place);
  await fillStartForm(page, place);
  await startSession(page);
  const there = await place.inContainer(`app/${path}`);
  await expect.poll(() => contentOf(there)).toBe(lines('as it began'));

  const lost = await makeConflict(page, here, there);
  await page.getByRole('tab', { name: /^Sync/ }).click();
  await page.getByRole('radio', { name: /^Activity/ }).click();
  const connections = page.getByRole('group', { name: 'Connections' });
  await connections
    .getByRole('group', { name: 'To the container' })
    .getByText(/^Connected/)
    .waitFor();
  await page.getByRole('radio', { name: /^Conflicts/ }).click();
  await page
    .getByRole('link', { name: `Compare: ${path}` })
    .first()
    .click();
  const shown = page.getByRole('list', { name: 'Lines of both versions' });
  const changed = shown.getByRole('listitem').nth(1);
  await expect.poll(() => changed.innerText()).toMatch(/of the laptop[^]*of the container/);
  await page.getByRole('region', { name: 'Version of Container' }).getByText('in the trash').waitFor();
  await page.getByRole('button', { name: 'Read from the Container' }).click();
  await page.getByRole('region', { name: 'Version of This Machine' }).getByText('in the container').waitFor();

  const won = hashOf(here);
  expect(hashOf(there)).toBe(won);
  await page.getByRole('button', { name: 'Take the Container’s' }).click();
  await expect.poll(() => contentOf(here)).toBe(lost);
  await expect.poll(() => hashOf(there)).toBe(hashOf(here));
  expect(hashOf(here)).not.toBe(won);
  await page.getByText(/You took the container’s version/).waitFor();
  // The one that was replaced is in the trash, and can be taken again.
  await page.getByRole('button', { name: 'Take This Machine’s' }).click();
  await expect.poll(() => hashOf(there)).toBe(won);
  expect(hashOf(here)).toBe(won);
  await inSync(page);

  const note = join(place.project, 'deep note.md');
  writeFileSync(note, 'worth keeping\n');
  const kept = hashOf(note);
  const noteThere = await place.inContainer('app/deep note.md');
  await expect.poll(() => hashOf(noteThere)).toBe(kept);
  await inSync(page);
  rmSync(noteThere);
  await expect.poll(() => hashOf(note)).toBe('missing');
  await page.getByRole('radio', { name: 'Trash' }).click();
  await page.getByRole('searchbox', { name: 'Search in paths' }).fill('deep');
  const versions = page.getByRole('list', { name: 'Old versions' }).getByRole('listitem');
  await expect.poll(() => versions.count()).toBe(1);
  await versions.getByRole('checkbox', { name: 'Choose deep note.md' }).check();
  await page.getByRole('button', { name: 'Restore 1…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText(/^Restored deep note\.md/).waitFor();
  expect(hashOf(note)).toBe(kept);
  await expect.poll(() => hashOf(noteThere)).toBe(kept);
  await inSync(page);

  // What the sync replaces in the container is kept there, and can be brought here.
  writeFileSync(note, 'written anew\n');
  await expect.poll(() => contentOf(noteThere)).toBe('written anew\n');
  await page.getByRole('radio', { name: 'Container' }).click();
  const inContainer = page.getByRole('list', { name: 'Old versions in the container' }).getByRole('listitem');
  await inContainer.getByRole('button', { name: 'Bring Here…' }).first().click();
  const bring = page.getByRole('dialog', { name: 'Bring this version here?' });
  await bring.getByText('deep note.md').waitFor();
  await bring.getByRole('button', { name: 'Bring Here' }).click();
  await expect.poll(() => hashOf(note)).toBe(kept);
  await expect.poll(() => hashOf(noteThere)).toBe(kept);
  await inSync(page);

  await stopSession(page);
  expect(hashOf(note)).toBe(kept);
  expect(window.complaints).toEqual([]);
});

/** Changes both sides in the same moment, until the sync saw both before it carried one over; gives what lost. */
async function makeConflict(page: Page, here: string, there: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const suffix = attempt === 0 ? '' : ` `.repeat(attempt);
    writeFileSync(there, lines(`of the container${suffix}`));
    writeFileSync(here, lines(`of the laptop${suffix}`));
    await expect.poll(() => hashOf(there) === hashOf(here)).toBe(true);
    const conflict = page.getByRole('tab', { name: /^Sync 1 conflict/ });
    const seen = await conflict.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (seen) return lines(`of the container${suffix}`);
    if (attempt > 10) throw new Error('The two changes were never seen at once');
  }
}
