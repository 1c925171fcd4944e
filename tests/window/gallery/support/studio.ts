import type { Page } from 'playwright-core';
import type { GalleryControl } from '../fake/fake-socket.ts';
import { startBrowser, type TestWindow } from '../../support/browser.ts';
import { serveGallery } from './server.ts';

declare global {
  interface Window {
    gallery?: { readonly control: { current?: GalleryControl }; readonly names: readonly string[] };
  }
}

export interface Look {
  readonly theme?: 'dark' | 'light';
  readonly width?: number;
  readonly height?: number;
  readonly zoom?: number;
  /** Leaves motion on, as it is by default. */
  readonly motion?: boolean;
  /** Lets the time go on. */
  readonly clock?: boolean;
}

/** Where scenes are looked at: one browser, and a few windows that are used again and again. */
export interface Studio extends AsyncDisposable {
  /** Shows a scene in a window that nobody else uses meanwhile. */
  show<Result>(
    scene: string,
    look: Look,
    see: (page: Page, complaints: () => readonly string[]) => Promise<Result>,
  ): Promise<Result>;
}

/** How many scenes are looked at at the same time; vitest is told to run as many tests at once. */
const windows = 3;

export async function openStudio(): Promise<Studio> {
  const gallery = await serveGallery();
  const browser = await startBrowser();
  const free: TestWindow[] = [];
  const waiting: ((window: TestWindow) => void)[] = [];
  let opened = 0;
  const take = async (): Promise<TestWindow> => {
    const ready = free.pop();
    if (ready !== undefined) return ready;
    if (opened >= windows) return new Promise((resolve) => waiting.push(resolve));
    opened += 1;
    return browser.open(`${gallery.url}gallery.js`, { reducedMotion: 'no-preference' });
  };
  const giveBack = (window: TestWindow): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(window);
    else next(window);
  };
  return {
    async show(scene, look, see) {
      const window = await take();
      try {
        const { page } = window;
        const before = window.complaints.length;
        await page.setViewportSize({ width: look.width ?? 1280, height: look.height ?? 720 });
        await page.goto(`${gallery.url}?${query(scene, look)}`);
        await settled(page);
        return await see(page, () => window.complaints.slice(before));
      } finally {
        giveBack(window);
      }
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await gallery[Symbol.asyncDispose]();
    },
  };
}

function query(scene: string, look: Look): string {
  return new URLSearchParams({
    scenario: scene,
    theme: look.theme ?? 'dark',
    zoom: String(look.zoom ?? 1),
    motion: look.motion === true ? 'full' : 'reduced',
    clock: look.clock === true ? 'runs' : 'still',
  }).toString();
}

/** Long enough for a skeleton, which comes after 150 ms. */
const quietMs = 200;

/** Waits until nothing moves any more: fonts are there, and the page has not changed for a while. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role="alert"]').first().waitFor();
  await page.evaluate(async (quiet) => {
    await document.fonts.ready;
    await new Promise<void>((resolve) => {
      let timer = setTimeout(done, quiet);
      const observer = new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(done, quiet);
      });
      const last = setTimeout(done, 5000);
      function done(): void {
        observer.disconnect();
        clearTimeout(last);
        resolve();
      }
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await document.fonts.ready;
  }, quietMs);
}

/** Main goes away while the page is shown. */
export async function loseMain(page: Page): Promise<void> {
  await page.evaluate(() => window.gallery?.control.current?.lose());
  await page.getByRole('alert').filter({ hasText: 'does not answer' }).first().waitFor();
  await settled(page);
}

/** The other theme, without loading the scene again. */
export async function showTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.evaluate((wanted) => {
    document.documentElement.dataset['theme'] = wanted;
  }, theme);
  // Terminals take their colours from the theme, a frame later.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}
