import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';

/** Records where a page spends its time, for Chromium's developer tools. */
export async function profilePage(page: Page, seconds: number, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  await page.waitForTimeout(seconds * 1000);
  const { profile } = await session.send('Profiler.stop');
  await session.detach();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(profile));
}
