import { join } from 'node:path';
import { kubeconfigWith, serviceAccount, testServer } from '../../tests/support/service-account.ts';
import { AskedProcess } from '../support/children.ts';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { percentile } from '../support/statistics.ts';
import type { Bench, BenchContext } from './bench.ts';
import { openPage, type OpenPage } from './browser.ts';
import type { LoopDelay } from './host-questions.ts';
import { beginPageCpu, mainCpu } from './page-cpu.ts';
import type { Place } from './place.ts';
import { profilePage } from './profile.ts';
import { runSession } from './session.ts';

const perSecond = 60_000;
const seconds = 20;
/** What is late by then has not kept up. */
const lateSeconds = 3;
const frameGoalMs = 25;
/** Prints numbered lines as fast as its pod may. */
const podFlood = `awk 'BEGIN { for (;;) print ++n, "GET /api/orders/4711?expand=items 200 12ms worker-3" }'`;

/** A log that floods: from a server that counts, and from a real pod. */
export const logFlood: Bench = {
  name: 'log-flood',
  run: async (context) => [...(await counted(context)), ...(await fromPod(context))],
};

async function counted(context: BenchContext): Promise<readonly Result[]> {
  await using proxy = new AskedProcess(new URL('log-proxy.ts', import.meta.url), {
    env: { ...process.env, BENCH_API_SERVER: testServer() },
  });
  const address = await proxy.ask<string>({ kind: 'address' });
  await using session = await runSession('e10-log', {
    kubeconfig: (place) => kubeconfigThrough(place, address),
  });
  const results: Result[] = [];
  for (const cut of [false, true]) {
    context.signal.throwIfAborted();
    await using opened = await openPage(context.browser, session.url, session.hash('logs'));
    const { page, probe } = opened;
    await page.getByRole('toolbar', { name: 'Log' }).waitFor();
    await page.waitForTimeout(1000);
    const before = conditions();
    const endCpu = await beginPageCpu(page);
    const endMain = await mainCpu(session.host);
    await session.host.ask({ kind: 'reset-delays' });
    await proxy.ask({ kind: 'begin', perSecond, seconds });
    await probe.evaluate((it) => it.startFrames());
    await page.waitForTimeout((seconds * 1000) / 2);
    if (cut) await proxy.ask({ kind: 'cut' });
    if (context.profile !== undefined && !cut) {
      await session.host.ask({ kind: 'profile' });
      await profilePage(page, 4, join(context.profile, 'log-page.cpuprofile'));
      await session.host.ask({ kind: 'end-profile', path: join(context.profile, 'log-main.cpuprofile') });
    }
    const total = perSecond * seconds;
    const lastedMs = await untilLine(opened, total, (seconds / 2 + lateSeconds) * 1000);
    const frames = await probe.evaluate((it) => it.stopFrames());
    const cpu = await endCpu();
    const main = await endMain();
    const delays = await session.host.ask<LoopDelay>({ kind: 'delays' });
    const { lines, last, gaps, doubles, marks } = await probe.evaluate((it) => it.logs);
    const kept = await page.getByRole('toolbar', { name: 'Log' }).innerText();
    const p95 = percentile(frames, 0.95);
    const how = cut ? ', connection cut once' : '';
    results.push(
      {
        what: `log of ${perSecond.toLocaleString('en')} lines/s for ${seconds} s${how}`,
        goal: 'every line or a mark',
        measured: `${lines.toLocaleString('en')} of ${total.toLocaleString('en')} lines, the last one ${last.toLocaleString('en')}, ${gaps} unmarked gaps, ${doubles} doubles, ${marks} marks; ${lastedMs === undefined ? 'did not keep up' : 'kept up'}; shown: ${kept.replaceAll(/\s+/g, ' ').trim()}`,
        met: gaps === 0 && doubles === 0 && last === total,
        conditions: before,
      },
      {
        what: `frames beside that log${how}`,
        goal: `p95 < ${frameGoalMs} ms`,
        measured: `p50 ${percentile(frames, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${percentile(frames, 0.99).toFixed(1)} ms; page ${Math.round(cpu * 100)} % and main ${Math.round(main * 100)} % of a core; event loop of main p99 ${delays.p99.toFixed(1)} ms`,
        met: p95 < frameGoalMs,
        conditions: before,
      },
    );
  }
  return results;
}

/** How long it takes until the page has a line; undefined when it does not come in time. */
async function untilLine(
  { page, probe }: OpenPage,
  line: number,
  withinMs: number,
): Promise<number | undefined> {
  const started = performance.now();
  while (performance.now() - started < withinMs) {
    if ((await probe.evaluate((it) => it.logs.last)) >= line) return performance.now() - started;
    await page.waitForTimeout(100);
  }
  return undefined;
}

/** An account that may do everything in the namespace, through the proxy. */
async function kubeconfigThrough({ namespace, folder }: Place, address: string): Promise<string> {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const own = await serviceAccount({ namespace, name: 'bench', rules, folder });
  return kubeconfigWith(own, join(folder, 'kubeconfig-through'), (config) => {
    for (const entry of config.clusters)
      entry.cluster = { server: address, 'insecure-skip-tls-verify': true };
  });
}

async function fromPod({ browser, signal }: BenchContext): Promise<readonly Result[]> {
  await using session = await runSession('e10-podlog', { command: podFlood });
  signal.throwIfAborted();
  await using opened = await openPage(browser, session.url, session.hash('logs'));
  const { page, probe } = opened;
  await page.waitForFunction((it) => it.logs.lines > 0, probe);
  await page.waitForTimeout(2000);
  const before = conditions();
  const first = await probe.evaluate((it) => it.logs.lines);
  await probe.evaluate((it) => it.startFrames());
  await page.waitForTimeout(seconds * 1000);
  const frames = await probe.evaluate((it) => it.stopFrames());
  const { lines, gaps, doubles, marks } = await probe.evaluate((it) => it.logs);
  const rate = Math.round((lines - first) / seconds);
  return [
    {
      what: 'log of a real pod that writes as fast as it can',
      measured: `${rate.toLocaleString('en')} lines/s reached the page, ${gaps} unmarked gaps, ${doubles} doubles, ${marks} marks; frames p95 ${percentile(frames, 0.95).toFixed(1)} ms`,
      conditions: before,
    },
  ];
}
