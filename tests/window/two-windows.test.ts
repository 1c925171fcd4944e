import { afterAll, beforeAll, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { Place } from './support/place.ts';
import { fillStartForm, inSync, openWorkload, startSession, stopSession } from './support/steps.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('two windows of one app show one session, and what one does with it the other sees', async () => {
  await using place = await Place.make('window-two');
  await using app = await App.start();
  await using first = await browser.open(app.url);
  await using second = await browser.open(app.url, { colorScheme: 'dark' });
  const before = { deployment: await place.deployment(), objects: await place.objects() };

  await openWorkload(first.page, place);
  await fillStartForm(first.page, place);
  await startSession(first.page);

  const sessions = second.page.getByRole('region', { name: 'Sessions' });
  await sessions.getByRole('link', { name: /web/ }).click();
  await inSync(second.page);
  // A reload in the middle changes nothing for the session, and stays on its page.
  await second.page.reload();
  await inSync(second.page);

  await stopSession(second.page);
  await first.page
    .getByRole('main')
    .getByText(/everything is as it was/)
    .first()
    .waitFor();
  await expect.poll(() => place.objects()).toEqual(before.objects);
  expect((await place.deployment()).spec).toEqual(before.deployment.spec);
  expect([...first.complaints, ...second.complaints]).toEqual([]);
});
