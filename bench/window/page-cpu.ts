import type { Page } from 'playwright-core';
import type { AskedProcess } from '../support/children.ts';

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

/** The same of a host's process. */
export async function mainCpu(host: AskedProcess): Promise<() => Promise<number>> {
  const read = async (): Promise<number> => {
    const { user, system } = await host.ask<NodeJS.CpuUsage>({ kind: 'cpu' });
    return (user + system) / 1e6;
  };
  const [usedBefore, startedAt] = [await read(), performance.now()];
  return async () => ((await read()) - usedBefore) / ((performance.now() - startedAt) / 1000);
}
