import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { escapeFiles } from './support/escapes.ts';
import { watchForHarm } from './support/harm.ts';
import { hostilePlay, openShell } from './support/hostile-play.ts';
import { contentOf } from './support/place.ts';
import { lineOnScreen, linesOnScreen, typeLine } from './support/screen.ts';
import { inSync } from './support/steps.ts';

/** One line without an end, in bytes. The full length takes minutes: SLIPWAY_TEST_LINE_BYTES=1073741824. */
const lineBytes = Number(process.env['SLIPWAY_TEST_LINE_BYTES'] ?? 100_000_000);
/** At a tenth of what an idle machine does. */
const lineWithinMs = 60_000 + lineBytes / 1_000;
/** How long the window may take to answer its user meanwhile. */
const answerWithinMs = 1_000;
/** Device attributes and status, cursor and mode reports, settings as numbers, colours. */
const standardAnswer =
  /\u001b\[[?>]?[\d;]*(?:[cnRtx]|\$y)|\u001bP[\d;]*[$>|][\w ;".()]*\u001b\\|\u001b\][\d;]+;rgb:[\da-f/]+(?:\u001b\\|\u0007)/g;
const mostHeapBytes = 200_000_000;
const mostMainBytes = 500_000_000;

const play = hostilePlay();

describe('what a program prints', () => {
  test('reaches no clipboard, title or colour, and no command line', () =>
    play.onStage(async (on) => {
      await using window = await play.browser.open(on.app.url, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const { page } = window;
      const harm = watchForHarm(window);
      await openShell(page, on);
      await page.evaluate(() => navigator.clipboard.writeText('mine'));
      const title = await page.title();
      const paper = () =>
        page
          .locator('[data-terminal] .xterm-viewport, [data-terminal] .xterm')
          .first()
          .evaluate((element) => getComputedStyle(element).backgroundColor);
      const before = await paper();
      await typeLine(page, `cat ${escapeFiles.sideEffects}`);
      await lineOnScreen(page, /said it all$/);
      await page.locator('[data-terminal]').click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
      expect(await page.title()).toBe(title);
      expect(await paper()).toBe(before);
      expect(await page.getByText('hostile title').count()).toBe(0);
      expect(await page.getByText('hostile notice').count()).toBe(0);

      // What the window answers a program is what a shell would get as typed.
      const answers = join(on.place.project, 'answers.txt');
      await typeLine(
        page,
        `stty raw -echo min 0 time 10; cat ${escapeFiles.queries}; cat > answers.txt; stty sane; echo answ''ered`,
      );
      await lineOnScreen(page, /answered$/);
      await expect.poll(() => contentOf(answers)).toContain('\u001b[0n');
      const said = readFileSync(answers, 'latin1');
      expect(said).not.toMatch(/touch|hostile|[\r\n]/);
      // Nothing beyond what the standards say.
      expect(said.replaceAll(standardAnswer, '')).toBe('');
      await typeLine(page, `cat ${escapeFiles.queries}`);
      // Where nobody reads the answers they stand at the prompt, and run nothing by themselves.
      await expect
        .poll(
          async () => {
            await page.keyboard.press('Control+C');
            await typeLine(page, 'echo sti""ll');
            return linesOnScreen(page);
          },
          { interval: 300, timeout: 20_000 },
        )
        .toContain('still');
      expect(existsSync(join(on.place.project, 'hostile'))).toBe(false);
      expect(await harm.found()).toEqual([]);
    }));

  test('opens a link only after its real target was seen and agreed to', () =>
    play.onStage(async (on) => {
      await using window = await play.browser.open(on.app.url);
      const { page } = window;
      const opened: string[] = [];
      page.context().on('page', (other) => opened.push(other.url()));
      await openShell(page, on);
      await typeLine(page, `clear; cat ${escapeFiles.links}`);
      await lineOnScreen(page, 'links end here');
      const row = (text: string) =>
        page.locator('[data-terminal] .xterm-rows > div').filter({ hasText: text });
      const dialog = page.getByRole('dialog');
      for (const [text, path] of [
        ['see the handbook', '/hidden'],
        [`${play.elsewhere.url}/plain`, '/plain'],
      ] as const) {
        const place = { position: { x: 40, y: 8 } };
        await row(text).hover({ ...place, force: true });
        await page.getByText('Ctrl+Click opens it').waitFor();
        await row(text).click({ ...place, force: true });
        expect(await dialog.count()).toBe(0);
        await row(text).click({ ...place, force: true, modifiers: ['Control'] });
        await dialog.getByText(`${play.elsewhere.url}${path}`).first().waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.waitFor({ state: 'detached' });
      }
      for (const text of ['a script of the company', 'a file of the company']) {
        await row(text).hover({ position: { x: 40, y: 8 }, force: true });
        await row(text).click({ position: { x: 40, y: 8 }, force: true, modifiers: ['Control'] });
        expect(await dialog.count()).toBe(0);
      }
      expect([opened, play.elsewhere.asked]).toEqual([[], []]);

      await row('see the handbook').click({ position: { x: 40, y: 8 }, force: true, modifiers: ['Control'] });
      const other = page.context().waitForEvent('page');
      await dialog.getByRole('button', { name: 'Open Link' }).click();
      const openedPage = await other;
      await openedPage.waitForLoadState();
      expect(
        await openedPage.evaluate(() => [location.pathname, opener === null, document.referrer]),
      ).toEqual(['/hidden', true, '']);
      play.elsewhere.asked.length = 0;
    }));

  test(
    'holds the window up neither with an endless line nor with noise nor with a flood',
    () =>
      play.onStage(async (on) => {
        await using window = await play.browser.open(on.app.url);
        const { page } = window;
        const harm = watchForHarm(window);
        const devtools = await page.context().newCDPSession(page);
        await openShell(page, on);
        await typeLine(page, `clear; head -c ${lineBytes} /dev/zero | tr '\\0' a; echo; echo line''-end`);
        await lineOnScreen(page, /^a{20,}$/);
        const clicked = await measure(page, 'click', () => document.querySelector('search') !== null);
        await page.getByRole('button', { name: 'Find in Terminal' }).click();
        expect(await clicked()).toBeLessThan(answerWithinMs);
        await page.keyboard.press('Escape');
        await lineOnScreen(page, 'line-end', lineWithinMs);
        await devtools.send('HeapProfiler.collectGarbage');
        const { usedSize } = await devtools.send('Runtime.getHeapUsage');
        expect(usedSize).toBeLessThan(mostHeapBytes);
        expect(residentBytes(on.app.pid)).toBeLessThan(mostMainBytes);

        await typeLine(page, 'cat /bin/busybox');
        await page.keyboard.press('Control+C');
        await typeLine(page, "printf '\\033c'; echo noise''-end");
        await lineOnScreen(page, 'noise-end');

        // On a busy machine every key waits: what the flood adds to that is what counts.
        const echoed = await measure(page, 'keydown', () =>
          [...document.querySelectorAll('[data-terminal] .xterm-rows > div')].some(
            (row) => row.textContent.trim() === 'usual-end',
          ),
        );
        await typeLine(page, "echo usual''-end");
        const usual = await echoed();
        await typeLine(page, 'yes flood');
        await lineOnScreen(page, 'flood');
        const interrupted = await measure(page, 'keydown', () => {
          const rows = [...document.querySelectorAll('[data-terminal] .xterm-rows > div')];
          return (
            rows
              .findLast((row) => row.textContent.trim() !== '')
              ?.textContent.trim()
              .endsWith('#') === true
          );
        });
        await page.keyboard.press('Control+C');
        expect((await interrupted()) - usual).toBeLessThan(answerWithinMs);
        await typeLine(page, "echo flood''-end");
        await lineOnScreen(page, 'flood-end');
        await inSync(page);
        expect(await harm.found()).toEqual([]);
      }),
    lineWithinMs + 120_000,
  );
});

/**
 * How long after an event something is seen, by the page's own clock and from the moment of the event: a busy test
 * sees it later than its user, and a frozen page hears of it later than it happened. Resolves before the event.
 */
async function measure(page: Page, event: string, isSeen: () => boolean): Promise<() => Promise<number>> {
  // As a text, since the page's policy would not let it make a function of one.
  await page.evaluate(`{
    globalThis.passed = undefined;
    const isSeen = ${isSeen.toString()};
    const onEvent = ({ timeStamp }) => {
      const timer = setInterval(() => {
        if (!isSeen()) return;
        clearInterval(timer);
        globalThis.passed = performance.now() - timeStamp;
      }, 10);
    };
    addEventListener(${JSON.stringify(event)}, onEvent, { capture: true, once: true });
  }`);
  return async () => {
    const passed = () => page.evaluate<number | undefined>('globalThis.passed');
    await expect.poll(passed, { timeout: 30_000 }).toBeTypeOf('number');
    return (await passed()) ?? Infinity;
  };
}

function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
}
