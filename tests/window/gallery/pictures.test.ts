import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pictures, type Picture } from './pictures.ts';
import { axeViolations } from './support/axe.ts';
import { comparePicture } from './support/compare.ts';
import { openStudio, showTheme, type Studio } from './support/studio.ts';

/** Violations of axe that are known and not mended yet, as `<picture> <rule>`. It may only shrink, and it is empty. */
const knownViolations: readonly string[] = [];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

describe.concurrent('each state of the window looks as it did, and can be used by everybody', () => {
  it.for(Object.entries(pictures))('%s', async ([name, picture], { expect: check }) => {
    await studio.show(picture.scene, {}, async (page, complaints) => {
      await picture.act?.(page);
      const problems: string[] = [];
      for (const theme of ['dark', 'light'] as const) {
        if (theme === 'light') await showTheme(page, theme);
        const different = comparePicture(`${name}-${theme}`, await take(page, picture));
        if (different !== undefined) problems.push(different);
      }
      for (const theme of ['light', 'dark'] as const) {
        await showTheme(page, theme);
        const found = await axeViolations(page, theme === 'light' ? 'all' : 'colours');
        problems.push(...found.map((violation) => `${theme}: ${violation}`));
      }
      check([...problems, ...complaints()]).toEqual([]);
    });
  });
});

it('knows of no violation that is left for later', () => {
  expect(knownViolations).toEqual([]);
});

async function take(page: Parameters<Parameters<Studio['show']>[2]>[0], { part }: Picture): Promise<Buffer> {
  const options = { animations: 'disabled', caret: 'hide', scale: 'css' } as const;
  if (part === undefined) return page.screenshot(options);
  return page.locator(part).last().screenshot(options);
}
