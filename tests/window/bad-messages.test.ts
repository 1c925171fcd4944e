import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hostilePlay, openShell } from './support/hostile-play.ts';
import { contentOf } from './support/place.ts';
import { openRawWindow } from './support/raw-window.ts';
import { lineOnScreen, typeLine } from './support/screen.ts';
import { inSync } from './support/steps.ts';
import { notFrames, wrongFrames } from './support/wrong-frames.ts';

const play = hostilePlay();

describe('main', () => {
  test('refuses messages that are wrong in every field, and nobody else notices', () =>
    play.onStage(async (on) => {
      await using window = await play.browser.open(on.app.url);
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
    play.onStage(async (on) => {
      const { origin, port, hash } = new URL(on.app.url);
      const token = hash.replace('#token=', '');
      const elsewherePort = new URL(play.elsewhere.url).port;
      // Another port, another name of this machine, a name that somebody made to point here.
      for (const host of ['127.0.0.1', 'localhost', 'somewhere.localhost']) {
        await using window = await play.browser.open(`http://${host}:${elsewherePort}/`);
        for (const target of [origin, `http://localhost:${port}`, `http://somewhere.localhost:${port}`]) {
          const outcome = await window.page.evaluate(knock, { target, token });
          expect([host, target, outcome]).toEqual([
            host,
            target,
            { socket: 'refused', fetch: 'refused', script: 'refused', frame: 'nothing' },
          ]);
        }
      }
      await using named = await play.browser.open(`http://somewhere.localhost:${port}/#token=${token}`);
      expect(
        await named.page.evaluate(() => [document.scripts.length, document.querySelector('#root')]),
      ).toEqual([0, null]);
      // The right page with a wrong token, and the right one.
      await using own = await play.browser.open(`${origin}/#token=${'A'.repeat(43)}`);
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
