import { join } from 'node:path';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { percentile } from '../support/statistics.ts';
import type { Bench, BenchContext } from './bench.ts';
import { framesOf, openPage } from './browser.ts';
import type { LoopDelay } from './host-questions.ts';
import { beginPageCpu, mainCpu } from './page-cpu.ts';
import { profilePage } from './profile.ts';
import { runSession, type RunningSession } from './session.ts';

const perSecond = 5000;
const seconds = 20;
const frameGoalMs = 25;
const delayGoalMs = 20;

/** How smooth the page of a session is while thousands of files travel in it. */
export const syncFlood: Bench = {
  name: 'sync-flood',
  run: async (context) => {
    await using session = await runSession('e10-flood');
    const results: Result[] = [];
    results.push(...(await measure(context, session, 'overview', 0)));
    for (const tab of ['overview', 'sync'])
      results.push(...(await measure(context, session, tab, perSecond)));
    return results;
  },
};

async function measure(
  { browser, profile }: BenchContext,
  { url, hash, host }: RunningSession,
  tab: string,
  rate: number,
): Promise<readonly Result[]> {
  await using opened = await openPage(browser, url, hash(tab));
  await opened.page.getByRole('main').getByRole('status').first().waitFor();
  await host.ask({ kind: 'flood', perSecond: rate });
  await opened.page.waitForTimeout(2000);
  const before = conditions();
  const toldBefore = await host.ask<number>({ kind: 'told' });
  await host.ask({ kind: 'reset-delays' });
  const endCpu = await beginPageCpu(opened.page);
  const endMain = await mainCpu(host);
  const frames = await framesOf(opened, seconds);
  const cpu = await endCpu();
  const main = await endMain();
  const delays = await host.ask<LoopDelay>({ kind: 'delays' });
  const told = ((await host.ask<number>({ kind: 'told' })) - toldBefore) / seconds;
  if (profile !== undefined) {
    await host.ask({ kind: 'profile' });
    await profilePage(opened.page, 5, join(profile, `flood-${tab}-${rate}-page.cpuprofile`));
    await host.ask({ kind: 'end-profile', path: join(profile, `flood-${tab}-${rate}-main.cpuprofile`) });
  }
  await host.ask({ kind: 'flood', perSecond: 0 });
  const p95 = percentile(frames, 0.95);
  const at = (share: number): string => percentile(frames, share).toFixed(1);
  const what = `${Math.round(told).toLocaleString('en')} sync events/s, ${tab}`;
  const goal = rate > 0;
  return [
    {
      what: `frames of a session, 100,000 files, ${what}`,
      measured: `p50 ${at(0.5)} ms, p95 ${p95.toFixed(1)} ms, p99 ${at(0.99)} ms of ${frames.length}; page ${Math.round(cpu * 100)} % and main ${Math.round(main * 100)} % of a core`,
      ...(goal ? { goal: `p95 < ${frameGoalMs} ms`, met: p95 < frameGoalMs } : {}),
      conditions: before,
    },
    {
      what: `event loop of main, ${what}`,
      measured: `p50 ${delays.p50.toFixed(1)} ms, p99 ${delays.p99.toFixed(1)} ms, longest ${delays.max.toFixed(0)} ms`,
      ...(goal ? { goal: `p99 < ${delayGoalMs} ms`, met: delays.p99 < delayGoalMs } : {}),
      conditions: before,
    },
  ];
}
