import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

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
  readonly complaints: readonly string[];
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
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== 'data:' && asked.protocol !== 'blob:' && asked.host !== host)
      complaints.push(`asked ${asked.host}`);
  });
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
