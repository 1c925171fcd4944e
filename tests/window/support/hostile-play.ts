import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startBrowser, type TestBrowser } from './browser.ts';
import { writeEscapes } from './escapes.ts';
import { HostileStage } from './hostile-stage.ts';
import { lineOnScreen } from './screen.ts';

/** Where hostile links lead to, and what was asked of it. */
interface Elsewhere {
  readonly url: string;
  readonly asked: string[];
}

/** A browser, a place elsewhere, and a stage that the tests of a file share; after a failure the next one gets a new stage. */
export class HostilePlay {
  #browser: TestBrowser | undefined;
  #server: Server | undefined;
  #stage: HostileStage | undefined;
  elsewhere: Elsewhere = { url: '', asked: [] };

  get browser(): TestBrowser {
    if (this.#browser === undefined) throw new Error('There is no browser yet');
    return this.#browser;
  }

  async begin(): Promise<void> {
    this.#browser = await startBrowser();
    const asked: string[] = [];
    this.#server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>');
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.elsewhere = { url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`, asked };
  }

  async end(): Promise<void> {
    await this.#stage?.[Symbol.asyncDispose]();
    await this.#browser?.[Symbol.asyncDispose]();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  async onStage(play: (stage: HostileStage) => Promise<void>): Promise<void> {
    const { url } = this.elsewhere;
    this.#stage ??= await HostileStage.make((project) =>
      writeEscapes(project, { hidden: `${url}/hidden`, plain: `${url}/plain` }),
    );
    const stage = this.#stage;
    try {
      await play(stage);
    } catch (error) {
      await this.leave(stage);
      throw error;
    }
  }

  /** The next test gets a new stage. */
  async leave(stage: HostileStage): Promise<void> {
    this.#stage = undefined;
    await stage[Symbol.asyncDispose]();
  }
}

/** Call it once in a file. */
export function hostilePlay(): HostilePlay {
  const play = new HostilePlay();
  beforeAll(() => play.begin());
  afterAll(() => play.end());
  return play;
}

/** Opens what is known of the first leftover of a namespace. */
export async function explain(page: Page, namespace: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: namespace }).first();
  await row.getByRole('gridcell').nth(2).click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => (location.hash = `#/${next}`), hash);
}

export async function openShell(page: Page, { session }: HostileStage): Promise<void> {
  await goTo(page, `session/${session}/terminal`);
  await lineOnScreen(page, /[#$]$/);
}
