import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { loseMain, openStudio, settled, type Studio } from './support/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

describe.concurrent('nothing reads as live while main is gone', () => {
  it.for(['session', 'session-starting', 'ports', 'workloads', 'workload', 'leftovers', 'dock'] as const)(
    '%s',
    async (scene, { expect }) => {
      await studio.show(scene, {}, async (page) => {
        await loseMain(page);
        expect(await liveSigns(page)).toEqual([]);
        const status = await page.getByRole('contentinfo', { name: 'Status' }).innerText();
        expect(status).toMatch(/Not known; last known: /);
        const sessions = await page.getByRole('region', { name: 'Sessions' }).innerText();
        expect(sessions.match(/not known/g)).toHaveLength(2);
      });
    },
  );

  it('and the session says what was known last', async ({ expect }) => {
    await studio.show('session', {}, async (page) => {
      await loseMain(page);
      const main = page.getByRole('main');
      await main.getByRole('status').getByText('Not known; last known: In sync since').waitFor();
      const text = await main.innerText();
      expect(text).toContain('Last known: both sides are alike');
      expect(text).not.toContain('All healthy');
    });
  });
});

/** Dots, badges and pills that claim to know how something is now. */
function liveSigns(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[class*="dot"], [class*="badge"], [class*="pill"]')]
      .filter((element) => element.checkVisibility() && element.closest('[inert]') === null)
      .filter((element) => ['ok', 'info'].includes(element.getAttribute('data-tone') ?? ''))
      .map((element) => element.outerHTML.slice(0, 160)),
  );
}

describe.concurrent('the head of a session stays where it is', () => {
  it.for([1000, 1280, 1800] as const)('at %s pixels, in every state', async (width, { expect }) => {
    const places = new Set<string>();
    for (const scene of [
      'session',
      'session-held',
      'session-folder-gone',
      'session-stopping',
      'session-starting',
    ])
      places.add(
        await studio.show(scene, { width }, async (page) => {
          const stop = await page
            .getByRole('main')
            .getByRole('button', { name: 'Stop and Restore' })
            .boundingBox();
          const tab = await page.getByRole('tab', { name: 'Overview' }).boundingBox();
          return JSON.stringify([stop, tab]);
        }),
      );
    expect([...places]).toHaveLength(1);
  });
});

describe.concurrent('page and dock have room to work in', () => {
  it.for([
    ['a window of 1280 by 720 at 200 %', { width: 1280, height: 720, zoom: 2 }],
    ['a window of 640 by 360, as a browser at 200 % makes it', { width: 640, height: 360 }],
  ] as const)('%s', async ([, look], { expect }) => {
    await studio.show('session-dock', look, async (page) => {
      const zoom = 'zoom' in look ? look.zoom : 1;
      const seen = (id: string) =>
        page.evaluate((name) => {
          const element = document.getElementById(name);
          element?.scrollIntoView({ block: 'start' });
          const box = element?.getBoundingClientRect();
          const around = element?.parentElement?.getBoundingClientRect();
          if (box === undefined || around === undefined) return 0;
          return Math.min(box.bottom, around.bottom) - Math.max(box.top, around.top);
        }, id);
      // In pixels of 100 %: a heading with its tabs and some lines; and about eight lines of a terminal.
      expect((await seen('page')) / zoom).toBeGreaterThan(230);
      expect((await seen('dock')) / zoom).toBeGreaterThan(150);
    });
  });

  it('and shows the dock when it is opened', async ({ expect }) => {
    await studio.show('session', { width: 1280, height: 720, zoom: 2 }, async (page) => {
      await page.getByRole('contentinfo', { name: 'Status' }).getByRole('button', { name: 'Dock' }).click();
      await settled(page);
      const { top, bottom } = await page.locator('#dock').evaluate((dock) => {
        const box = dock.getBoundingClientRect();
        return { top: box.top, bottom: box.bottom };
      });
      expect(bottom - top).toBeGreaterThan(300);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(bottom).toBeLessThanOrEqual(720);
    });
  });
});

describe.concurrent('conflicts are found', () => {
  it('from the overview to the version that lost, and back', async ({ expect }) => {
    await studio.show('session-settled', {}, async (page) => {
      await page.getByRole('tab', { name: 'Sync 4 conflicts' }).waitFor();
      await page.getByRole('link', { name: 'See Conflicts' }).click();
      await page.getByRole('link', { name: 'Show in Trash: config/local.json' }).click();
      const versions = page.getByRole('list', { name: 'Old versions' }).getByRole('listitem');
      await versions.first().waitFor();
      expect(await versions.count()).toBe(1);
      expect(await versions.first().innerText()).toContain('Lost a conflict');
      await page.goBack();
      await page.getByRole('list', { name: 'Conflicts' }).waitFor();
      // A link, and permissions: nothing of them is in the trash, and nothing says so.
      expect(await page.getByRole('link', { name: /^Show in Trash/ }).count()).toBe(2);
    });
  });
});
