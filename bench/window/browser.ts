import { existsSync } from 'node:fs';
import { chromium, type Browser, type JSHandle, type Page } from 'playwright-core';
import { installProbe, type Probe } from './probe.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const patienceMs = 60_000;

/** The system's browser; SLIPWAY_TEST_CHROMIUM names another one. */
export function launchBrowser(): Promise<Browser> {
  const program = [process.env['SLIPWAY_TEST_CHROMIUM'] ?? '', ...places].find((path) => existsSync(path));
  if (program === undefined) throw new Error('Chromium was not found: install the package "chromium".');
  return chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      // A measured page is the one in front.
      '--disable-background-timer-throttling',
      '--disable-renderer-backgrounding',
      '--disable-backgrounding-occluded-windows',
    ],
  });
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** What the page tells benchmarks. */
  readonly probe: JSHandle<Probe>;
}

/** A page of the window in a browser profile of its own, with nothing in its cache. */
export async function openPage(browser: Browser, url: string, hash: string): Promise<OpenPage> {
  const { origin, hash: secret } = new URL(url);
  const context = await browser.newContext({ viewport: { width: 1280, height: 832 } });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  page.on('pageerror', (error) => process.stderr.write(`the page threw: ${error.stack ?? error.message}\n`));
  await page.addInitScript(installProbe, { token: secret.replace('#token=', '') });
  await page.goto(`${origin}/${hash}`);
  return {
    page,
    probe: await page.evaluateHandle(() => Reflect.get(window, 'slipwayProbe') as Probe),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** How smoothly a page paints: milliseconds between frames for so long. */
export async function framesOf({ page, probe }: OpenPage, seconds: number): Promise<readonly number[]> {
  await probe.evaluate((it) => it.startFrames());
  await page.waitForTimeout(seconds * 1000);
  return probe.evaluate((it) => it.stopFrames());
}
