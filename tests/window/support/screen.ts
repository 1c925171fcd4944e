import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a terminal of the page shows now, a line each. */
export async function linesOnScreen(page: Page): Promise<readonly string[]> {
  const rows = await page.locator('[data-terminal] .xterm-rows > div').allInnerTexts();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
}

/** Waits for a line that is all of it, so that an echoed command does not count. */
export async function lineOnScreen(page: Page, line: string | RegExp, timeout = 20_000): Promise<void> {
  const matches = (shown: string): boolean => (typeof line === 'string' ? shown === line : line.test(shown));
  await expect
    .poll(async () => (await linesOnScreen(page)).some(matches), { timeout, interval: 100 })
    .toBe(true);
}

export async function typeLine(page: Page, line: string): Promise<void> {
  await page.locator('[data-terminal] textarea').focus();
  await page.keyboard.insertText(line);
  await page.keyboard.press('Enter');
}
