import type { CDPSession } from 'playwright-core';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { slope } from '../support/statistics.ts';
import type { Bench } from './bench.ts';
import { openPage, type OpenPage } from './browser.ts';
import { runSession } from './session.ts';

const perSecond = 500;
const tabs = ['Overview', 'Sync', 'Terminal', 'Logs', 'Changes', 'Timeline'] as const;
const tabMs = 10_000;
/** What is bounded has filled by then: a log of 100,000 lines, a terminal's scrollback, the list of files. */
const warmMinutes = 2.5;
const goalPerHour = 6;
/** About 2,000 lines a second. */
const podLog = `i=0; while true; do seq $i $((i + 199)) | sed 's|$| GET /api/orders/4711?expand=items 200 12ms|'; i=$((i + 200)); sleep 0.1; done`;
const shellLoop = `while true; do seq 1 40; date; sleep 0.1; done\n`;

type Sample = readonly [minute: number, megabytes: number];

/** Whether the memory of windows stays as it is while a session runs: of three on one session. */
export const heap: Bench = {
  name: 'heap',
  run: async ({ browser, minutes, signal }) => {
    await using session = await runSession('e10-heap', { command: podLog });
    const open = (tab: string): Promise<OpenPage> => openPage(browser, session.url, session.hash(tab));
    await using shell = await open('terminal');
    await using log = await open('logs');
    await using visitor = await open('overview');
    const before = conditions();
    await shell.page.locator('[data-terminal] textarea').focus();
    await shell.page.waitForFunction(() =>
      (document.querySelector('.xterm-rows')?.textContent ?? '').includes('#'),
    );
    await shell.page.keyboard.type(shellLoop);
    await session.host.ask({ kind: 'flood', perSecond });
    const mainMegabytes = async (): Promise<number> =>
      (await session.host.ask<NodeJS.MemoryUsage>({ kind: 'memory' })).heapUsed / 1e6;
    const watched: readonly (readonly [string, Watched])[] = [
      ['a page that goes through its tabs', await watch(visitor)],
      ['a page with a log', await watch(log)],
      ['a page with a terminal', await watch(shell)],
      ['main', { samples: [], read: mainMegabytes }],
    ];
    const started = performance.now();
    const elapsed = (): number => (performance.now() - started) / 60_000;
    for (let minute = 1; minute <= minutes; minute++) {
      for (let visit = 0; visit === 0 || elapsed() < minute; visit++) {
        signal.throwIfAborted();
        await show(visitor, tabs[visit % tabs.length] ?? 'Overview');
        await visitor.page.waitForTimeout(tabMs);
      }
      // Always of the same tab: a log or a terminal has more in it than the others.
      await show(visitor, 'Overview');
      for (const [, { samples, read }] of watched) samples.push([elapsed(), await read()]);
      const told = watched.map(([what, { samples }]) => `${what} ${samples.at(-1)?.[1].toFixed(1)} MB`);
      process.stderr.write(`minute ${elapsed().toFixed(1)}: ${told.join(', ')}\n`);
    }
    return watched.map(([what, { samples }]) => rise(what, samples, minutes, before));
  },
};

async function show({ page }: OpenPage, tab: string): Promise<void> {
  await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
}

interface Watched {
  readonly samples: Sample[];
  read(): Promise<number>;
}

async function watch({ page }: OpenPage): Promise<Watched> {
  const devtools = await page.context().newCDPSession(page);
  return { samples: [], read: () => heapMegabytes(devtools) };
}

function rise(what: string, samples: readonly Sample[], minutes: number, before: string): Result {
  const warm = samples.filter(([minute]) => minute > warmMinutes);
  const perHour = slope(warm) * 60;
  const [first, last] = [warm[0]?.[1] ?? Number.NaN, warm.at(-1)?.[1] ?? Number.NaN];
  // Main collects when it likes, so that its numbers go up and down.
  const goal = what === 'main' ? {} : { goal: `below ${goalPerHour} MB/h`, met: perHour < goalPerHour };
  return {
    what: `heap of ${what} over ${minutes} minutes`,
    ...goal,
    measured: `${first.toFixed(1)} MB at minute 3, ${last.toFixed(1)} MB at the end; slope ${perHour.toFixed(1)} MB/h over ${warm.length} samples`,
    conditions: before,
  };
}

async function heapMegabytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.send('HeapProfiler.disable');
  return usedSize / 1e6;
}
