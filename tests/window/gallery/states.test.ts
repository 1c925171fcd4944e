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

  it('and their versions: line by line, folded, and exchanged with the keyboard', async ({ expect }) => {
    await studio.show('conflict-swap', {}, async (page) => {
      const lines = page.getByRole('list', { name: 'Lines of both versions' });
      const changed = lines.getByRole('listitem').filter({ hasText: 'cart.items.length > 1' }).first();
      expect(await changed.innerText()).toMatch(/> 10\)[^]*> 12\)/);
      const rows = await lines.getByRole('listitem').count();
      await lines.getByRole('button', { name: /^Show \d+ Lines That Are Alike$/ }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => lines.getByRole('listitem').count()).toBeGreaterThan(rows);
      await page.getByRole('button', { name: 'Take the Container’s' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('You took the container’s version; this machine’s is in the trash.').waitFor();
      await page.getByRole('button', { name: 'Take This Machine’s' }).waitFor();
    });
  });

  it('and nothing of them acts or hides', async ({ expect }) => {
    await studio.show('conflict-hostile', {}, async (page) => {
      const lines = page.getByRole('list', { name: 'Lines of both versions' });
      await lines.getByText('U+202E').waitFor();
      await lines.getByText('BEL').waitFor();
      expect(await lines.locator('img, b, script').count()).toBe(0);
      expect(await lines.innerText()).toContain('img src=x onerror=alert(1)');
    });
  });
});

describe.concurrent('old versions', () => {
  it('are chosen and restored together with the keyboard', async ({ expect }) => {
    await studio.show('trash-of-path', {}, async (page) => {
      const search = page.getByRole('searchbox', { name: 'Search in paths' });
      await search.fill('');
      const versions = page.getByRole('list', { name: 'Old versions' }).getByRole('listitem');
      await expect.poll(() => versions.count()).toBe(5);
      await versions.getByRole('checkbox').nth(0).focus();
      await page.keyboard.press(' ');
      await versions.getByRole('checkbox').nth(3).focus();
      await page.keyboard.press(' ');
      await page.getByRole('button', { name: 'Restore 2…' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Restore 2 versions?' });
      await dialog.getByRole('button', { name: 'Restore', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Restored 2 versions; what was there before is in the trash.').waitFor();
    });
  });

  it('that went together come back together', async () => {
    await studio.show('trash-of-path', {}, async (page) => {
      await page.getByRole('searchbox', { name: 'Search in paths' }).fill('app-88');
      await page.getByRole('button', { name: 'All 41…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore 41 versions?' });
      await dialog.getByText('40 more').waitFor();
      await dialog.getByRole('button', { name: 'Restore Elsewhere…' }).click();
      await page.getByRole('dialog', { name: 'Choose a Folder' }).waitFor();
    });
  });
});

describe.concurrent('a mass deletion', () => {
  it('is listed in full, searched, and counted on each side', async ({ expect }) => {
    await studio.show('session-held', {}, async (page) => {
      await page.getByRole('button', { name: 'Show All 1,204' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This machine has 1,204 of them (18.4 MB), which would be deleted.').waitFor();
      const paths = dialog.getByRole('list', { name: 'Paths' });
      await expect.poll(() => paths.getByRole('listitem').first().getAttribute('aria-setsize')).toBe('1204');
      expect(await paths.getByRole('listitem').count()).toBeLessThan(60);
      await dialog.getByRole('searchbox', { name: 'Search in paths' }).fill('product');
      await expect.poll(() => paths.getByRole('listitem').first().getAttribute('aria-setsize')).toBe('100');
    });
  });
});
