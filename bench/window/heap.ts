import type { CDPSession } from 'playwright-core';
import { conditions } from '../support/machine.ts';
import { slope } from '../support/statistics.ts';
import type { Bench } from './bench.ts';
import { openPage } from './browser.ts';
import { runSession } from './session.ts';

const perSecond = 500;
const tabs = ['Overview', 'Sync', 'Terminal', 'Logs'] as const;
const tabMs = 15_000;
/** What is bounded has filled by then: a log of 100,000 lines, a terminal's scrollback, the list of files. */
const warmMinutes = 2;
const goalPerHour = 6;
const lineEvery = 0.1;
const linesAtOnce = 200;
const podLog = `i=0; while true; do seq -f "%g GET /api/orders/4711?expand=items 200 12ms" $i $((i + ${linesAtOnce - 1})) || seq $i $((i + ${linesAtOnce - 1})); i=$((i + ${linesAtOnce})); sleep ${lineEvery}; done`;
const shellLoop = `i=0; while true; do i=$((i + 1)); seq 1 40; echo "round $i"; sleep 0.1; done\n`;

/** Whether the page's memory stays as it is while a session runs. */
export const heap: Bench = {
  name: 'heap',
  run: async ({ browser, minutes, signal }) => {
    await using session = await runSession('e10-heap', { command: podLog });
    await using opened = await openPage(browser, session.url, session.hash('terminal'));
    const { page } = opened;
    const before = conditions();
    await page.locator('[data-terminal] textarea').focus();
    await page.waitForFunction(() =>
      (document.querySelector('.xterm-rows')?.textContent ?? '').includes('#'),
    );
    await page.keyboard.type(shellLoop);
    await session.host.ask({ kind: 'flood', perSecond });
    const devtools = await page.context().newCDPSession(page);
    const samples: (readonly [minute: number, megabytes: number])[] = [];
    const mainSamples: (readonly [minute: number, megabytes: number])[] = [];
    const started = performance.now();
    const elapsed = (): number => (performance.now() - started) / 60_000;
    for (let visit = 0; elapsed() < minutes + 0.01 || samples.length < minutes; visit++) {
      signal.throwIfAborted();
      await page.getByRole('tab', { name: tabs[visit % tabs.length] ?? 'Overview', exact: true }).click();
      await page.waitForTimeout(tabMs);
      if (visit % tabs.length !== tabs.length - 1) continue;
      samples.push([elapsed(), await heapMegabytes(devtools)]);
      const memory = await session.host.ask<NodeJS.MemoryUsage>({ kind: 'memory' });
      mainSamples.push([elapsed(), memory.heapUsed / 1e6]);
      process.stderr.write(
        `minute ${elapsed().toFixed(1)}: page ${samples.at(-1)?.[1].toFixed(1)} MB, main heap ${mainSamples.at(-1)?.[1].toFixed(1)} MB, RSS ${(memory.rss / 1e6).toFixed(0)} MB\n`,
      );
    }
    const warm = samples.filter(([minute]) => minute > warmMinutes);
    const perHour = slope(warm) * 60;
    const [first, last] = [warm[0]?.[1] ?? Number.NaN, warm.at(-1)?.[1] ?? Number.NaN];
    return [
      {
        what: `heap of the page after a collection, over ${minutes} minutes with events, log and terminal`,
        goal: `flat (below ${goalPerHour} MB/h)`,
        measured: `${first.toFixed(1)} MB at minute ${warmMinutes + 1}, ${last.toFixed(1)} MB at the end; slope ${perHour.toFixed(1)} MB/h over ${warm.length} samples`,
        met: perHour < goalPerHour,
        conditions: before,
      },
    ];
  },
};

async function heapMegabytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.send('HeapProfiler.disable');
  return usedSize / 1e6;
}
