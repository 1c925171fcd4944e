import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Where Debian and Ubuntu have it; SLIPWAY_TEST_CHROMIUM names another one. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** How long the window may take to show what is asked for, on a busy machine with a real cluster behind it. */
const patienceMs = 30_000;

export interface TestBrowser extends AsyncDisposable {
  /** A window of its own: no storage is shared with the others. */
  open(url: string, options?: BrowserContextOptions): Promise<TestWindow>;
}

export interface TestWindow extends AsyncDisposable {
  readonly page: Page;
  /** What the page said on its console as a failure, threw, or asked of another host than the one that served it. */
  readonly complaints: string[];
}

/** The system's browser, without anything of its own going to the network. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: chromiumProgram(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  return {
    open: (url, options) => open(browser, url, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function chromiumProgram(): string {
  const program = [process.env['SLIPWAY_TEST_CHROMIUM'] ?? '', ...places].find((path) => existsSync(path));
  if (program === undefined) throw new Error('Chromium was not found: install the package "chromium".');
  return program;
}

async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<TestWindow> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 832 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { host } = new URL(url);
  page.on('console', (message) => {
    // Without a graphics card the browser draws terminals by software, and says that this is slow.
    if (/^\[\.WebGL/.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('crash', () => complaints.push('the page crashed'));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== 'data:' && asked.protocol !== 'blob:' && asked.host !== host)
      complaints.push(`asked ${asked.host}`);
  });
  await page.goto(url);
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await keepPicture(page, complaints);
      await context.close();
    },
  };
}

/** How the window looked at the end of its test, for who looks into a failure: SLIPWAY_TEST_PICTURES is a folder. */
async function keepPicture(page: Page, complaints: readonly string[]): Promise<void> {
  const folder = process.env['SLIPWAY_TEST_PICTURES'];
  if (folder === undefined || folder === '') return;
  const name = (expect.getState().currentTestName ?? 'window').replaceAll(/\W+/g, '-').slice(0, 80);
  const path = join(folder, `${name}-${Date.now()}`);
  writeFileSync(`${path}.txt`, complaints.join('\n'));
  await page.screenshot({ path: `${path}.png` }).catch(() => undefined);
}
