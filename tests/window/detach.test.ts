import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser, type TestWindow } from './support/browser.ts';
import { Place } from './support/place.ts';
import { lineOnScreen, typeLine } from './support/screen.ts';
import { openWorkload } from './support/steps.ts';

let browser: TestBrowser;
let place: Place;
let app: App;
beforeAll(async () => {
  [browser, place, app] = await Promise.all([startBrowser(), Place.make('window-detach'), App.start()]);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

/** Types into the palette, which offers the dock's actions though the dock was never opened. */
async function choose(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('body').press('Control+Shift+P');
  const option = page.getByRole('option', { name: text }).first();
  await option.click();
}

/** The one window that `act` opens. */
async function popupOf(page: Page, act: () => Promise<void>): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), act()]);
  return popup;
}

async function openShell({ page }: TestWindow): Promise<void> {
  await openWorkload(page, place);
  await choose(page, /^Open Terminal in web-/);
  await page.locator('[data-terminal] textarea').waitFor({ state: 'attached' });
  await typeLine(page, 'echo "before $((40 + 2))"');
  await lineOnScreen(page, 'before 42');
}

const tabsOf = (page: Page) => page.getByRole('tablist', { name: 'Terminals and logs' }).getByRole('tab');

test('a shell moves into a window of its own and back into the dock, with its text', async () => {
  await using window = await browser.open(app.url);
  const { page } = window;
  await openShell(window);
  const popup = await popupOf(page, () => page.keyboard.press('Control+Shift+E'));
  const complaints: string[] = [];
  popup.on('pageerror', (error) => complaints.push(error.message));

  // What was there is there, and nothing of the frame; the token is in no address, and nobody reaches the other window.
  await lineOnScreen(popup, 'before 42');
  expect(popup.url()).toMatch(/\/#\/terminal\/[a-z0-9]+$/);
  expect(await popup.evaluate(() => globalThis.opener as unknown)).toBeNull();
  await expect.poll(() => popup.title()).toMatch(/^Terminal in web-.* · .* · Slipway$/);
  expect(await popup.getByRole('navigation').count()).toBe(0);
  await expect.poll(() => tabsOf(page).count()).toBe(0);
  await typeLine(popup, 'echo "within $((50 + 3))"');
  await lineOnScreen(popup, 'within 53');

  // Loading either of them anew changes nothing.
  await popup.reload();
  await lineOnScreen(popup, 'within 53');
  await page.reload();
  await page.getByText('What was detached has a window of its own').waitFor();
  await page.waitForTimeout(2_000);
  expect(await tabsOf(page).count()).toBe(0);

  await popup.close();
  await expect.poll(() => tabsOf(page).count()).toBe(1);
  await lineOnScreen(page, 'within 53');
  await typeLine(page, 'echo "after $((60 + 4))"');
  await lineOnScreen(page, 'after 64');
  expect([...window.complaints, ...complaints]).toEqual([]);
});

test('a log is detached from the menu of its tab, and attached again by its button', async () => {
  await using window = await browser.open(app.url);
  const { page } = window;
  await openWorkload(page, place);
  await choose(page, /^Open Log of web/);
  await page.getByRole('region', { name: /^Lines of web/ }).waitFor();
  const tab = tabsOf(page).filter({ hasText: 'web' }).last();
  await tab.focus();
  await page.keyboard.press('Shift+F10');
  const popup = await popupOf(page, () => page.getByRole('menuitem', { name: /^Detach/ }).click());
  await popup.getByRole('region', { name: /^Lines of web/ }).waitFor();
  expect(popup.url()).toContain('/#/log/workload/');
  await expect.poll(() => page.getByRole('region', { name: /^Lines of web/ }).count()).toBe(0);
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: 'Attach to Dock' }).click();
  await closed;
  await page.getByRole('region', { name: /^Lines of web/ }).waitFor();
  expect(window.complaints).toEqual([]);
});

test('a browser that blocks the window is told of, and the link opens it by hand', async () => {
  await using window = await browser.open(app.url);
  const { page } = window;
  await openShell(window);
  await page.evaluate(() => {
    globalThis.open = () => null;
  });
  await page.keyboard.press('Control+Shift+E');
  const dialog = page.getByRole('dialog', { name: 'The browser opened no window' });
  const popup = await popupOf(page, () => dialog.getByRole('link', { name: 'Open in a Tab' }).click());
  await lineOnScreen(popup, 'before 42');
  const seen = await tabsOf(page).count();
  await popup.close();
  // Closed before this window saw it open, it may be one that is still loading: that is waited for longer.
  await expect.poll(() => tabsOf(page).count(), { timeout: 25_000 }).toBe(seen + 1);
});

test('a shell that nobody knows says so, and leads back to the whole window', async () => {
  await using window = await browser.open(app.url);
  const { page } = window;
  await page.getByRole('navigation', { name: 'Clusters' }).waitFor();
  await page.evaluate(() => {
    location.hash = '#/terminal/gone';
  });
  await page.getByText('This shell is closed').waitFor();
  await page.getByRole('button', { name: 'Back to Slipway' }).click();
  await page.getByRole('navigation', { name: 'Clusters' }).waitFor();
});
