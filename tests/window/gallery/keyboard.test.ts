import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openStudio, settled, type Studio } from './support/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

/** Tab stops that a way may have. */
const mostStops = 90;

/** What has the focus, as a person would name it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const labelled = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const labels =
      element instanceof HTMLInputElement
        ? [...(element.labels ?? [])].map((label) => label.textContent)
        : [];
    const names = labelled.map((id) => document.getElementById(id)?.textContent);
    return (
      element.getAttribute('aria-label') ??
      [...names, ...labels, element.textContent].filter(Boolean).join(' ')
    ).trim();
  });
}

/** Presses Tab until something of that name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let stop = 0; stop < mostStops; stop++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    seen.push(now.slice(0, 40));
    if (typeof name === 'string' ? now === name : name.test(now)) return;
  }
  throw new Error(`Tab never came to ${String(name)}: ${seen.join(' | ')}`);
}

/** Whether it can be seen what has the focus: an outline, a ring or a border on it or on what is drawn for it. */
function focusIsSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    let element: Element | null = document.activeElement;
    if (element === null || element === document.body) return true;
    if (element.closest('.xterm') !== null || element.hasAttribute('data-base-ui-focus-guard')) return true;
    const isRing = (candidate: Element): boolean => {
      const { outlineStyle, outlineWidth, outlineColor, borderTopColor } = getComputedStyle(candidate);
      const width = Number.parseFloat(outlineWidth);
      // A field's border and outline are one ring of two pixels.
      return outlineStyle !== 'none' && (width >= 2 || (width >= 1 && borderTopColor === outlineColor));
    };
    if ([...element.querySelectorAll('*')].slice(0, 4).some(isRing)) return true;
    // Controls that are drawn by something else show it there.
    for (let steps = 0; element !== null && steps < 3; steps++, element = element.parentElement)
      if (isRing(element)) return true;
    return false;
  });
}

describe.concurrent('with the keyboard alone', () => {
  it('goes from Welcome to a running session', async ({ expect }) => {
    await studio.show('keyboard-start', {}, async (page) => {
      await tabTo(page, 'Open a Folder…');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Choose a Folder' }).waitFor();
      await settled(page);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('/home/dana/src/shop/we');
      await settled(page);
      await page.keyboard.press('Tab');
      await settled(page);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await settled(page);
      await tabTo(page, 'Choose the Workload');
      await page.keyboard.press('Enter');
      await page.getByRole('grid', { name: 'Workloads' }).waitFor();
      await settled(page);
      await page.keyboard.press('/');
      await page.keyboard.type('mail');
      await settled(page);
      await tabTo(page, /mail/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'mail', level: 1 }).waitFor();
      await settled(page);
      await tabTo(page, 'Summary');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByLabel('Folder on this machine').waitFor();
      await tabTo(page, 'Folder on this machine');
      await page.keyboard.type('/home/dana/src/shop/web');
      await page.getByRole('region', { name: 'the command' }).waitFor();
      await tabTo(page, /^Replace web/);
      await page.keyboard.press('Enter');
      await page
        .getByRole('main')
        .getByRole('status')
        .getByText(/^In sync since/)
        .waitFor();
      expect(page.url()).toContain('#/session/s1');
    });
  });

  it.for([
    'welcome',
    'workloads',
    'workload',
    'start',
    'session-held',
    'conflict-settled',
    'trash-of-path',
    'leftovers',
    'settings-clusters',
    'settings-appearance',
  ] as const)('shows where the focus is at every stop of %s', async (scene, { expect }) => {
    await studio.show(scene, {}, async (page) => {
      const unseen = new Set<string>();
      for (let stop = 0; stop < 70; stop++) {
        await page.keyboard.press('Tab');
        if (!(await focusIsSeen(page))) unseen.add(await focused(page));
      }
      expect([...unseen]).toEqual([]);
    });
  });

  it('skips the frame', async ({ expect }) => {
    await studio.show('workloads', {}, async (page) => {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to Page');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('page');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('#page') !== null)).toBe(true);
    });
  });

  it('has one stop in a table, and arrows within it', async ({ expect }) => {
    await studio.show('workloads', {}, async (page) => {
      const rows = page.getByRole('grid', { name: 'Workloads' }).locator('[role="row"][tabindex]');
      const stops = () =>
        rows.evaluateAll((all) => all.filter((row) => (row as HTMLElement).tabIndex === 0).length);
      expect(await stops()).toBe(1);
      await rows.first().focus();
      const at = () => page.evaluate(() => Number(document.activeElement?.getAttribute('aria-rowindex')));
      const first = await at();
      await page.keyboard.press('ArrowDown');
      await expect.poll(at).toBe(first + 1);
      await page.keyboard.press('ArrowDown');
      await expect.poll(at).toBe(first + 2);
      expect(await stops()).toBe(1);
      await page.keyboard.press('End');
      await expect.poll(at).toBe(first + 10);
      await page.keyboard.press('Home');
      await expect.poll(at).toBe(first);
      await page.keyboard.press(' ');
      await expect.poll(() => page.locator('[role="row"][aria-selected="true"]').count()).toBe(1);
    });
  });

  it('finds a command, and the focus goes where it leads', async ({ expect }) => {
    await studio.show('workloads', {}, async (page) => {
      await page.keyboard.press('Control+Shift+P');
      await page.getByRole('combobox', { name: 'Type the name of a command' }).waitFor();
      await page.keyboard.type('leftovers');
      await settled(page);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Leftovers', level: 1 }).waitFor();
      expect(page.url()).toContain('#/leftovers');
    });
  });
});

const dialogs: readonly {
  readonly scene: string;
  readonly opener: (page: Page) => Locator;
  readonly insistent?: true;
}[] = [
  { scene: 'welcome', opener: (page) => page.getByRole('button', { name: 'Open a Folder…' }) },
  {
    scene: 'session',
    opener: (page) => page.locator('#page').getByRole('button', { name: 'Stop and Restore' }),
  },
  { scene: 'session-held', opener: (page) => page.getByRole('button', { name: 'Delete Them…' }) },
  { scene: 'session-held', opener: (page) => page.getByRole('button', { name: 'Show All 1,204' }) },
  { scene: 'ports', opener: (page) => page.getByRole('button', { name: 'Open…' }).first() },
  { scene: 'changes', opener: (page) => page.getByRole('button', { name: 'Restore…' }).first() },
];

describe.concurrent('a dialog keeps the focus and gives it back', () => {
  it.for(dialogs.map((dialog, index) => [`${dialog.scene} ${index}`, dialog] as const))(
    '%s',
    async ([, { scene, opener }], { expect }) => {
      await studio.show(scene, {}, async (page) => {
        await opener(page).focus();
        await page.keyboard.press('Enter');
        const dialog = page.locator('[role="dialog"], [role="alertdialog"]');
        await dialog.waitFor();
        await settled(page);
        for (let stop = 0; stop < 14; stop++) {
          await page.keyboard.press(stop % 5 === 4 ? 'Shift+Tab' : 'Tab');
          await expect
            .poll(() =>
              page.evaluate(() => {
                const kept = '[role="dialog"], [role="alertdialog"], [data-base-ui-focus-guard]';
                return document.activeElement?.closest(kept) !== null;
              }),
            )
            .toBe(true);
        }
        // The first one closes the tip of a button that has the focus.
        await page.keyboard.press('Escape');
        await settled(page);
        if ((await dialog.count()) > 0) await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await expect
          .poll(() => opener(page).evaluate((element) => element === document.activeElement))
          .toBe(true);
      });
    },
  );

  it('asks a question until it is answered', async ({ expect }) => {
    await studio.show('question', {}, async (page) => {
      const dialog = page.getByRole('dialog', { name: /Run a program/ });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await settled(page);
      expect(await dialog.count()).toBe(1);
      await expect.poll(() => focused(page)).toBe('Do Not Run');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
    });
  });
});
