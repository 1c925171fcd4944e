import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startCutProxy } from './support/cut-proxy.ts';
import { watchForHarm } from './support/harm.ts';
import { explain, goTo, hostilePlay, openShell } from './support/hostile-play.ts';
import { lineOnScreen, linesOnScreen, typeLine } from './support/screen.ts';
import { inSync } from './support/steps.ts';
import { valueWhen } from './support/wire-steps.ts';

/** What the window loads last of all that it may need later. */
const lastPart: unknown = expect.stringMatching(/shortcut-sheet.*js$/);
const manyFiles = 3_000;

const play = hostilePlay();

describe('the window', () => {
  test('is where it was after a reload in the middle of anything, and nothing is lost', () =>
    play.onStage(async (on) => {
      await using window = await play.browser.open(on.app.url);
      const { page } = window;
      const harm = watchForHarm(window);
      const { client, cluster, place } = on;
      const folder = mkdtempSync(join(on.home, 'many-'));
      for (let index = 0; index < manyFiles; index++)
        writeFileSync(join(folder, `file-${index}.txt`), `${index}`);
      await goTo(page, `workload/${cluster}/${place.namespace}/Deployment/web/start`);
      await page.getByLabel('Folder on this machine').fill(folder);
      await page.getByRole('button', { name: /^Remove port/ }).click();
      await page.getByRole('button', { name: 'Replace web (2 → 0) and start web-dev' }).click();
      await page.waitForURL(/#\/session\//);
      // During the start.
      const address = page.url();
      const session = /session\/(\w+)/.exec(address)?.[1] ?? '';
      await page.reload();
      await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
      expect(page.url()).toBe(address);
      // During the first sync.
      const { summary } = await valueWhen(client, 'sessions.detail', { session }, ({ up }) => up.files > 0);
      await page.reload();
      await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
      expect([page.url(), summary.stage]).toEqual([address, 'starting']);
      await inSync(page);
      const arrived = readdirSync(await place.inContainer('app')).filter((name) => name.startsWith('file-'));
      expect(arrived.length).toBe(manyFiles);

      // With a shell in which something runs.
      await goTo(page, `session/${session}/terminal`);
      await lineOnScreen(page, /[#$]$/);
      await typeLine(page, "word=kept; echo fi''rst; cat");
      await lineOnScreen(page, 'first');
      await page.reload();
      await lineOnScreen(page, 'first');
      await typeLine(page, 'to the cat');
      await expect
        .poll(async () => (await linesOnScreen(page)).filter((line) => line === 'to the cat').length)
        .toBe(2);
      await page.keyboard.press('Control+C');
      await typeLine(page, 'echo "$word" > /proc/1/fd/1; echo "is $word"');
      await lineOnScreen(page, 'is kept');

      // With a log that is followed.
      await page.getByRole('tab', { name: 'Logs' }).click();
      const log = page.getByRole('region', { name: 'Lines of the session' });
      await log.getByText('kept').waitFor();
      await page.reload();
      await log.getByText('kept').waitFor();
      writeFileSync(await place.inContainer('proc/1/fd/1'), 'after the reload\n');
      await log.getByText('after the reload').waitFor();

      // With a question that was not answered.
      await page.getByRole('main').getByRole('button', { name: 'Stop and Restore' }).click();
      await page.getByRole('dialog').waitFor();
      await page.reload();
      await log.getByText('after the reload').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      await inSync(page);
      expect((await place.deployment()).spec?.replicas).toBe(0);
      expect(await harm.found()).toEqual([]);
    }));

  test('connects again by itself when the way to main was cut, and is right again', () =>
    play.onStage(async (on) => {
      await using proxy = await startCutProxy();
      await using window = await play.browser.open(on.app.url, { proxy: { server: proxy.address } });
      const { page, complaints } = window;
      await openShell(page, on);
      await typeLine(page, "clear; echo be''fore");
      await lineOnScreen(page, 'before');
      proxy.cut(true);
      const gone = page.getByRole('alert').filter({ hasText: 'Slipway’s main process does not answer' });
      await gone.waitFor();
      expect(await gone.innerText()).toMatch(/What you see is from \d\d:\d\d/);
      expect(await page.getByRole('button', { name: 'Stop and Restore' }).isDisabled()).toBe(true);
      // The session goes on meanwhile.
      const { up } = await valueWhen(on.client, 'sessions.detail', { session: on.session }, () => true);
      const { files } = up;
      writeFileSync(join(on.place.project, 'meanwhile.txt'), 'saved meanwhile');
      await valueWhen(on.client, 'sessions.detail', { session: on.session }, ({ up }) => up.files > files);
      proxy.cut(false);
      await gone.waitFor({ state: 'detached' });
      await lineOnScreen(page, 'before');
      await typeLine(page, "cat meanwhile.txt; echo; echo af''ter");
      await lineOnScreen(page, 'saved meanwhile');
      await lineOnScreen(page, 'after');
      await inSync(page);
      expect(await page.getByRole('button', { name: 'Stop and Restore' }).isDisabled()).toBe(false);
      await page.getByRole('tab', { name: 'Sync' }).click();
      writeFileSync(join(on.place.project, 'afterwards.txt'), 'saved afterwards');
      await page.getByRole('main').getByText('afterwards.txt').waitFor();
      // Parts of the window that were on their way when it was cut came after all, with their looks.
      await expect.poll(() => loadedFiles(page), { timeout: 20_000 }).toContainEqual(lastPart);
      expect(
        await page.evaluate(
          () =>
            [...document.styleSheets].length ===
            document.querySelectorAll('link[rel="stylesheet"], style').length,
        ),
      ).toBe(true);
      expect(withoutLostConnections(complaints)).toEqual([]);
    }));

  test('says that main is gone for good, and how to go on', () =>
    play.onStage(async (on) => {
      await using window = await play.browser.open(on.app.url);
      const { page, complaints } = window;
      await openShell(page, on);
      // Parts that were not shown yet come from main as well: it hands them over while there is time.
      await expect.poll(() => loadedFiles(page)).toContainEqual(lastPart);
      await on.app.kill('SIGKILL');
      const gone = page.getByRole('alert').filter({ hasText: 'Slipway’s main process does not answer' });
      await gone.waitFor();
      expect(await gone.innerText()).toMatch(/What you see is from \d\d:\d\d.*Connecting again/);
      for (const name of ['Stop and Restore', 'Reconnect'])
        expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
      // What was there stays to be read, on every page that was seen.
      for (const tab of ['Overview', 'Sync', 'Changes', 'Timeline', 'Terminal']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      }
      await page.getByRole('heading', { name: 'hostile', level: 1 }).waitFor();
      await goTo(page, `workloads/${on.cluster}`);
      await page.getByRole('heading', { name: 'Workloads', level: 1 }).waitFor();

      await page.keyboard.press('Control+Shift+P');
      await page.getByRole('dialog').first().waitFor();
      await page.keyboard.press('Escape');

      const port = Number(new URL(on.app.url).port);
      await using next = await App.start({ home: on.home, kubeconfig: on.kubeconfig, port });
      await page.getByRole('alert').filter({ hasText: 'Open the address' }).waitFor();
      await page.goto(next.url);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await goTo(page, `leftovers/${on.cluster}`);
      // The hostile ones have given no sign of life for as long as it takes by now.
      await page
        .getByRole('row')
        .filter({ hasText: 'target "\'><img data-hostile' })
        .first()
        .waitFor({ timeout: 90_000 });
      await explain(page, on.place.namespace);
      expect(withoutLostConnections(complaints)).toEqual([]);
      await play.leave(on);
    }));
});

function loadedFiles(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap((entry) => ((entry as PerformanceResourceTiming).responseStatus === 200 ? [entry.name] : [])),
  );
}

/** The browser itself says of each connection that it could not open one. */
function withoutLostConnections(complaints: readonly string[]): readonly string[] {
  return complaints.filter(
    (text) =>
      !/^(WebSocket connection to .* failed|Failed to load resource): (Error in .*: )?net::ERR_/.test(text),
  );
}
