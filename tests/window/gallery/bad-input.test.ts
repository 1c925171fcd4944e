import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { hostileScenes } from './scenes/hostile.ts';
import { axeViolations } from './support/axe.ts';
import { openStudio, settled, type Studio } from './support/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

describe.concurrent('hostile text is text', () => {
  it.for(Object.keys(hostileScenes))('%s', async (scene, { expect }) => {
    await studio.show(scene, {}, async (page, complaints) => {
      const heard = await during(page, async () => {
        await visitTabs(page);
      });
      expect(await page.evaluate(() => (window as { taken?: unknown }).taken)).toBeUndefined();
      expect(await page.evaluate(foreignElements)).toEqual([]);
      expect([...heard, ...complaints()]).toEqual([]);
      expect(await axeViolations(page, 'all')).toEqual([]);
    });
  });

  it('shows it in full when asked, with what cannot be seen as marks', async ({ expect }) => {
    await studio.show('hostile-changes', {}, async (page) => {
      const text = await page.locator('#page').innerText();
      expect(text).toContain('<script>window.taken=1</script>');
      expect(text).toContain('U+202E');
      expect(text).toContain('NUL');
      expect(text).not.toMatch(/[\u0000-\u0008\u202A-\u202E\u2066-\u2069]/u);
    });
  });
});

/** Elements that only hostile text could have made. */
function foreignElements(): readonly string[] {
  return [
    ...document.querySelectorAll(
      'iframe, img, object, embed, script, link, a[href], #page b b, base, form[action]',
    ),
  ]
    .filter((element) => {
      if (element instanceof HTMLScriptElement)
        return new URL(element.src, location.href).origin !== location.origin;
      if (element instanceof HTMLLinkElement)
        return new URL(element.href, location.href).origin !== location.origin;
      if (element instanceof HTMLAnchorElement)
        return new URL(element.href, location.href).origin !== location.origin;
      return true;
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

async function visitTabs(page: Page): Promise<void> {
  const address = new URL(page.url()).pathname;
  const tabs = page.locator('#page').getByRole('radio');
  for (let index = 0; index < (await tabs.count()); index++) {
    await tabs.nth(index).click();
    await settled(page);
  }
  if (new URL(page.url()).pathname !== address) throw new Error('The page went somewhere else');
}

/** Dialogs of the browser, windows and navigations that happen meanwhile. */
async function during(page: Page, action: () => Promise<void>): Promise<readonly string[]> {
  const heard: string[] = [];
  const onDialog = (dialog: { message(): string; dismiss(): Promise<void> }) => {
    heard.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  };
  const onPopup = () => heard.push('popup');
  const onNavigation = (frame: { url(): string }) => {
    if (!frame.url().startsWith(new URL(page.url()).origin)) heard.push(`navigation: ${frame.url()}`);
  };
  page.on('dialog', onDialog).on('popup', onPopup).on('framenavigated', onNavigation);
  await action();
  page.off('dialog', onDialog).off('popup', onPopup).off('framenavigated', onNavigation);
  return heard;
}

describe.concurrent('frames that do not fit', () => {
  it('asks for a snapshot when one is missing, and goes on', async ({ expect }) => {
    await studio.show('workloads', {}, async (page, complaints) => {
      const id = await page.evaluate(() => {
        const control = window.gallery?.control.current;
        const [watched] = control?.idsOf('workloads.list') ?? [];
        if (control === undefined || watched === undefined) return undefined;
        control.send({
          t: 'patch',
          id: watched,
          index: control.indexOf(watched) + 7,
          patch: { items: { x: null } },
        });
        return watched;
      });
      await expect
        .poll(() =>
          page.evaluate(() => window.gallery?.control.current?.sent.filter(({ t }) => t === 'resync')),
        )
        .toEqual([{ t: 'resync', id }]);
      await page.evaluate(() =>
        window.gallery?.control.current?.set('workloads.list', { state: 'ready', items: {} }),
      );
      await page.getByText('No workloads here').waitFor();
      expect(complaints()).toEqual([]);
    });
  });

  it('lets frames pass that are of nobody', async ({ expect }) => {
    await studio.show('session', {}, async (page, complaints) => {
      await page.evaluate(() => {
        const control = window.gallery?.control.current;
        for (const t of ['result', 'error', 'snapshot', 'patch', 'data', 'end', 'nonsense'])
          control?.send({
            t,
            id: 4_000_000,
            index: 1,
            value: {},
            patch: {},
            payload: {},
            output: {},
            error: {},
          });
      });
      await settled(page);
      await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
      await page.evaluate(() =>
        window.gallery?.control.current?.set('app.questions', {
          items: {
            q: {
              id: 'q',
              title: 'Still here?',
              text: [],
              choices: [{ id: 'y', label: 'Yes', danger: false }],
            },
          },
        }),
      );
      await page.getByRole('dialog', { name: 'Still here?' }).waitFor();
      expect(complaints()).toEqual([]);
    });
  });
});

describe.concurrent('a value that lacks its fields', () => {
  const broken = [
    ['workloads', 'workloads.list', { state: 'ready' }],
    ['workload', 'workloads.detail', { state: 'ready', workload: { name: 'web' } }],
    ['session', 'sessions.detail', { summary: { id: 's1' } }],
    ['leftovers', 'leftovers.list', { state: 'ready', items: { x: {} } }],
    ['settings-clusters', 'settings.current', { theme: 'dark' }],
  ] as const;
  it.for(broken)('breaks the page of %s alone', async ([scene, state, value], { expect }) => {
    await studio.show(scene, {}, async (page) => {
      await page.evaluate(([name, wrong]) => window.gallery?.control.current?.set(name, wrong), [
        state,
        value,
      ] as const);
      await settled(page);
      // The frame lives, and so does the next page.
      await page.getByRole('contentinfo', { name: 'Status' }).waitFor();
      await page.getByRole('navigation', { name: 'Clusters' }).waitFor();
      await page.evaluate(() => (location.hash = '#/welcome'));
      await page.getByRole('heading', { name: 'Welcome to Slipway', level: 1 }).waitFor();
      expect(await page.getByRole('link', { name: /staging/ }).count()).toBeGreaterThan(0);
    });
  });
});
