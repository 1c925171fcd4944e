import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';

let browser: TestBrowser;
let app: App;
beforeAll(async () => {
  browser = await startBrowser();
  app = await App.start();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
});

test('a window without the token, or with another one, is not let in', async () => {
  const { origin } = new URL(app.url);
  for (const address of [origin, `${origin}/#token=${'A'.repeat(43)}`]) {
    await using window = await browser.open(address);
    await window.page.getByRole('alert').getByText('Slipway does not know this window.').waitFor();
    expect(
      await window.page.getByRole('navigation', { name: 'Clusters' }).getByRole('listitem').count(),
    ).toBe(0);
  }
});

test('the token leaves the address, and no cookie is kept', async () => {
  await using window = await browser.open(app.url);
  await window.page.getByRole('navigation', { name: 'Clusters' }).getByRole('listitem').first().waitFor();
  expect(window.page.url()).not.toContain('token');
  expect(await window.page.context().cookies()).toEqual([]);
});

test('the page runs no code but its own files, and loads nothing from elsewhere', async () => {
  await using window = await browser.open(app.url);
  const { page } = window;
  await page.getByRole('navigation', { name: 'Clusters' }).getByRole('listitem').first().waitFor();
  const asked: string[] = [];
  const other = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const outcome = await page.evaluate(async (address) => {
    const ran: string[] = [];
    Object.assign(globalThis, { ran });
    const inline = document.createElement('script');
    inline.textContent = "globalThis.ran.push('inline')";
    const remote = document.createElement('script');
    remote.src = `${address}/script.js`;
    const image = document.createElement('img');
    image.src = `${address}/image.png`;
    const frame = document.createElement('iframe');
    frame.src = `${address}/frame.html`;
    const link = document.createElement('a');
    link.setAttribute('onclick', "globalThis.ran.push('handler')");
    document.body.append(inline, remote, image, frame, link);
    link.click();
    const refused = async (act: () => unknown): Promise<string> => {
      // In a turn of its own: what the test's own call runs is not under the page's policy.
      await new Promise((resolve) => setTimeout(resolve));
      try {
        await act();
        return 'done';
      } catch {
        return 'refused';
      }
    };
    const results = {
      eval: await refused(() => globalThis.eval('1')),
      fetch: await refused(() => fetch(`${address}/fetch`)),
      worker: await refused(async () => {
        const worker = new Worker(URL.createObjectURL(new Blob(['1'])));
        await new Promise((_, reject) => worker.addEventListener('error', reject));
      }),
    };
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { ...results, ran };
  }, elsewhere);
  other.close();
  other.closeAllConnections();
  expect(outcome).toEqual({
    eval: 'refused',
    fetch: 'refused',
    worker: 'refused',
    ran: [],
  });
  expect(asked).toEqual([]);
});
