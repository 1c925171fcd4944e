import type { Page } from 'playwright-core';

/** How much of a core the page's own thread used since it was begun, as a share; does not depend on who else is busy. */
export async function beginPageCpu(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const [usedBefore, startedAt] = [await read(), performance.now()];
  return async () => {
    const share = (await read()) - usedBefore;
    await session.detach();
    return share / ((performance.now() - startedAt) / 1000);
  };
}
