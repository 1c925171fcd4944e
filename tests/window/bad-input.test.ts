import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App } from './support/app.ts';
import { startBrowser, type TestBrowser } from './support/browser.ts';
import { startCutProxy } from './support/cut-proxy.ts';
import { escapeFiles, writeEscapes } from './support/escapes.ts';
import { watchForHarm } from './support/harm.ts';
import { HostileStage } from './support/hostile-stage.ts';
import { contentOf } from './support/place.ts';
import { lineOnScreen, linesOnScreen, typeLine } from './support/screen.ts';
import { inSync } from './support/steps.ts';
import { openRawWindow } from './support/raw-window.ts';
import { valueWhen } from './support/wire-steps.ts';
import { notFrames, wrongFrames } from './support/wrong-frames.ts';

/** One line without an end, in bytes. The full length takes minutes: SLIPWAY_TEST_LINE_BYTES=1073741824. */
const lineBytes = Number(process.env['SLIPWAY_TEST_LINE_BYTES'] ?? 100_000_000);
/** At a tenth of what an idle machine does. */
const lineWithinMs = 60_000 + lineBytes / 1_000;
/** How long the window may take to answer its user meanwhile. */
const answerWithinMs = 1_000;
/** Device attributes and status, cursor and mode reports, settings as numbers, colours. */
const standardAnswer =
  /\u001b\[[?>]?[\d;]*(?:[cnRtx]|\$y)|\u001bP[\d;]*[$>|][\w ;".()]*\u001b\\|\u001b\][\d;]+;rgb:[\da-f/]+(?:\u001b\\|\u0007)/g;
/** What the window loads last of all that it may need later. */
const lastPart: unknown = expect.stringMatching(/shortcut-sheet.*js$/);
const manyFiles = 3_000;
const mostHeapBytes = 200_000_000;
const mostMainBytes = 500_000_000;

let browser: TestBrowser;
/** Where hostile links lead to. */
let elsewhere: Server & { readonly asked: string[] };
let elsewhereUrl = '';
let stage: HostileStage | undefined;
beforeAll(async () => {
  browser = await startBrowser();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>');
  });
  elsewhere = Object.assign(server, { asked });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  elsewhere.closeAllConnections();
  elsewhere.close();
});

/** All tests share one stage; after a failure the next one gets a new stage. */
async function onStage(play: (stage: HostileStage) => Promise<void>): Promise<void> {
  stage ??= await HostileStage.make((project) =>
    writeEscapes(project, { hidden: `${elsewhereUrl}/hidden`, plain: `${elsewhereUrl}/plain` }),
  );
  try {
    await play(stage);
  } catch (error) {
    const spoiled = stage;
    stage = undefined;
    await spoiled[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens what is known of the first leftover of a namespace. */
async function explain(page: Page, namespace: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: namespace }).first();
  await row.getByRole('gridcell').nth(2).click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
}

async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => (location.hash = `#/${next}`), hash);
}

async function openShell(page: Page, { session }: HostileStage): Promise<void> {
  await goTo(page, `session/${session}/terminal`);
  await lineOnScreen(page, /[#$]$/);
}

test('text of a hostile cluster is shown as text on every page, and does nothing', () =>
  onStage(async (on) => {
    await using window = await browser.open(on.app.url);
    const { page } = window;
    const harm = watchForHarm(window);
    const { cluster, session, place } = on;
    const workload = `workload/${cluster}/${place.namespace}/Deployment`;
    const pages: readonly (readonly [string, string])[] = [
      [`workloads/${cluster}/${place.namespace}`, 'Argo CD application'],
      [`workloads/${cluster}`, place.namespace],
      [`${workload}/hostile/summary`, 'event-message "\'><img data-hostile'],
      [`workload/${cluster}/${place.namespace}/Pod/pod/summary`, 'message "\'><img data-hostile'],
      [`${workload}/hostile/preflight`, 'You have every right'],
      [`session/${session}/overview`, 'Where It Runs'],
      [`session/${session}/logs`, 'log "\'><img data-hostile'],
      [`session/${session}/ports`, 'Ports'],
      [`session/${session}/changes`, 'spec.replicas'],
      [`session/${session}/timeline`, 'In sync'],
      ['settings/clusters', 'context "\'><img data-hostile'],
      ['settings/kubeconfig', 'kubeconfig'],
      ['settings/tools', 'kubectl'],
      ['welcome', 'context "\'><img data-hostile'],
    ];
    const bad: string[] = [];
    const look = async (where: string): Promise<void> => {
      bad.push(...(await harm.found()).map((found) => `${where}: ${found}`));
    };
    for (const [hash, text] of pages) {
      await goTo(page, hash);
      await page.getByRole('main').getByText(text).first().waitFor();
      await look(hash);
    }

    await goTo(page, `${workload}/untouched/start`);
    await page.getByLabel('Folder on this machine').fill(place.project);
    await page
      .getByText('Replace untouched (1 → 0) and start untouched-dev, as sandbox-admin.')
      .first()
      .waitFor();
    await look('flight plan');
    await goTo(page, `session/${session}/sync`);
    await page.getByRole('main').getByText('Files', { exact: true }).click();
    await page.getByRole('main').getByRole('treeitem').filter({ hasText: '<img data-hostile' }).waitFor();
    await look('files');
    for (const part of ['Conflicts', 'Trash']) {
      await page.getByRole('main').getByText(part, { exact: true }).click();
      await look(part);
    }
    await goTo(page, `leftovers/${cluster}`);
    const main = page.getByRole('main');
    await main.getByText('user "\'><img data-hostile').first().waitFor();
    await look('leftovers');
    await explain(page, place.namespace);
    await look('explained leftover');
    expect(bad).toEqual([]);
  }));

describe('what a program prints', () => {
  test('reaches no clipboard, title or colour, and no command line', () =>
    onStage(async (on) => {
      await using window = await browser.open(on.app.url, {
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
    onStage(async (on) => {
      await using window = await browser.open(on.app.url);
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
        [`${elsewhereUrl}/plain`, '/plain'],
      ] as const) {
        const place = { position: { x: 40, y: 8 } };
        await row(text).hover({ ...place, force: true });
        await page.getByText('Ctrl+Click opens it').waitFor();
        await row(text).click({ ...place, force: true });
        expect(await dialog.count()).toBe(0);
        await row(text).click({ ...place, force: true, modifiers: ['Control'] });
        await dialog.getByText(`${elsewhereUrl}${path}`).first().waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.waitFor({ state: 'detached' });
      }
      for (const text of ['a script of the company', 'a file of the company']) {
        await row(text).hover({ position: { x: 40, y: 8 }, force: true });
        await row(text).click({ position: { x: 40, y: 8 }, force: true, modifiers: ['Control'] });
        expect(await dialog.count()).toBe(0);
      }
      expect([opened, elsewhere.asked]).toEqual([[], []]);

      await row('see the handbook').click({ position: { x: 40, y: 8 }, force: true, modifiers: ['Control'] });
      const other = page.context().waitForEvent('page');
      await dialog.getByRole('button', { name: 'Open Link' }).click();
      const openedPage = await other;
      await openedPage.waitForLoadState();
      expect(
        await openedPage.evaluate(() => [location.pathname, opener === null, document.referrer]),
      ).toEqual(['/hidden', true, '']);
      elsewhere.asked.length = 0;
    }));

  test(
    'holds the window up neither with an endless line nor with noise nor with a flood',
    () =>
      onStage(async (on) => {
        await using window = await browser.open(on.app.url);
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

describe('main', () => {
  test('refuses messages that are wrong in every field, and nobody else notices', () =>
    onStage(async (on) => {
      await using window = await browser.open(on.app.url);
      await openShell(window.page, on);
      const settings = contentOf(join(on.home, 'state', 'settings.json'));
      using raw = await openRawWindow(on.app.url);
      const wrong = wrongFrames();
      for (const frame of wrong) raw.send(JSON.stringify(frame));
      await expect
        .poll(() => new Set(raw.received.map(({ id }) => id)).size, { timeout: 20_000 })
        .toBe(wrong.length);
      const others = raw.received.filter(
        (frame) => frame.t !== 'error' || frame.error.code !== 'contract.invalid',
      );
      expect(others).toEqual([]);
      // What is no frame at all has no id to be answered by; the connection lives on.
      for (const data of [...notFrames, new Uint8Array(3), new Uint8Array(4), new Uint8Array(100)])
        raw.send(data);
      raw.send(JSON.stringify({ t: 'watch', id: 900_000, name: 'app.info', params: {} }));
      await expect
        .poll(() => raw.received.some(({ t, id }) => t === 'snapshot' && id === 900_000))
        .toBe(true);
      // One that is longer than any frame ends it.
      raw.send(`{"t":"call","id":1,"name":"app.clearTasks","input":"${'x'.repeat(2 * 1024 * 1024)}"}`);
      await expect.poll(() => raw.closedWith).not.toBeUndefined();

      await typeLine(window.page, "echo un''touched");
      await lineOnScreen(window.page, 'untouched');
      await inSync(window.page);
      expect(contentOf(join(on.home, 'state', 'settings.json'))).toBe(settings);
      expect(window.complaints).toEqual([]);
      expect(on.app.output).not.toMatch(/bug in slipway/i);
    }));

  test('lets no page of another origin in', () =>
    onStage(async (on) => {
      const { origin, port, hash } = new URL(on.app.url);
      const token = hash.replace('#token=', '');
      const elsewherePort = new URL(elsewhereUrl).port;
      // Another port, another name of this machine, a name that somebody made to point here.
      for (const host of ['127.0.0.1', 'localhost', 'somewhere.localhost']) {
        await using window = await browser.open(`http://${host}:${elsewherePort}/`);
        for (const target of [origin, `http://localhost:${port}`, `http://somewhere.localhost:${port}`]) {
          const outcome = await window.page.evaluate(knock, { target, token });
          expect([host, target, outcome]).toEqual([
            host,
            target,
            { socket: 'refused', fetch: 'refused', script: 'refused', frame: 'nothing' },
          ]);
        }
      }
      await using named = await browser.open(`http://somewhere.localhost:${port}/#token=${token}`);
      expect(
        await named.page.evaluate(() => [document.scripts.length, document.querySelector('#root')]),
      ).toEqual([0, null]);
      // The right page with a wrong token, and the right one.
      await using own = await browser.open(`${origin}/#token=${'A'.repeat(43)}`);
      expect(await own.page.evaluate(knock, { target: origin, token: 'A'.repeat(43) })).toMatchObject({
        socket: 'refused',
      });
      expect(await own.page.evaluate(knock, { target: origin, token })).toMatchObject({ socket: 'let in' });
    }));
});

/** Tries every way from a page into the app. */
async function knock({ target, token }: { readonly target: string; readonly token: string }) {
  const socket = await new Promise<string>((resolve) => {
    const tried = new WebSocket(`${target.replace('http', 'ws')}/wire`);
    tried.onopen = () => tried.send(JSON.stringify({ token }));
    tried.onmessage = () => resolve('let in');
    tried.onclose = () => resolve('refused');
  });
  const fetched = await fetch(`${target}/`, { mode: 'no-cors' }).then(
    (response) => `answered ${response.type}`,
    () => 'refused',
  );
  const script = await new Promise<string>((resolve) => {
    const element = document.createElement('script');
    element.src = `${target}/appearance.js`;
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('refused');
    document.head.append(element);
  });
  const frame = await new Promise<string>((resolve) => {
    const element = document.createElement('iframe');
    element.src = `${target}/`;
    element.onload = () =>
      resolve((element.contentDocument?.body.innerHTML ?? '') === '' ? 'nothing' : 'shown');
    document.body.append(element);
  });
  return { socket, fetch: fetched, script, frame };
}

describe('the window', () => {
  test('is where it was after a reload in the middle of anything, and nothing is lost', () =>
    onStage(async (on) => {
      await using window = await browser.open(on.app.url);
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
    onStage(async (on) => {
      await using proxy = await startCutProxy();
      await using window = await browser.open(on.app.url, { proxy: { server: proxy.address } });
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
    onStage(async (on) => {
      await using window = await browser.open(on.app.url);
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
      stage = undefined;
      await on[Symbol.asyncDispose]();
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
