import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import { busyLoops, endChild } from '../support/children.ts';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { median, percentile } from '../support/statistics.ts';
import { openPage } from './browser.ts';
import type { Bench, BenchContext } from './bench.ts';
import { makePlace } from './place.ts';

const slipway = fileURLToPath(new URL('../../slipway', import.meta.url));
const startWithinMs = 60_000;
const paintGoalMs = 900;
const usableGoalMs = 1500;

interface Load {
  readonly paintMs: number;
  readonly usableMs: number;
}

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly startMs: number;
}

/** How soon the window shows something, and how soon its first page can be used. */
export const firstPaint: Bench = {
  name: 'first-paint',
  run: async (context) => {
    await using place = await makePlace('e10-paint');
    const home = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
    try {
      const hash = await hashOfNamespace(context.browser, home, place.namespace);
      const results: Result[] = [];
      for (const cores of [2, 0]) results.push(...(await measure(context, { home, hash, busy: cores })));
      return results;
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

async function measure(
  { browser, rounds, signal }: BenchContext,
  { home, hash, busy }: { readonly home: string; readonly hash: string; readonly busy: number },
): Promise<readonly Result[]> {
  const starts: number[] = [];
  const first: Load[] = [];
  const later: Load[] = [];
  const before = conditions();
  await using _busy = busyLoops(busy);
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    await using served = await serve(home);
    starts.push(served.startMs);
    first.push(await load(browser, served.url, hash));
    later.push(await load(browser, served.url, hash));
  }
  const beside = busy === 0 ? 'no load of its own' : `${busy} busy loops beside`;
  const row = (what: string, values: readonly number[], goalMs?: number): Result => ({
    what: `${what}, ${beside}`,
    measured: `median ${ms(median(values))}, p95 ${ms(percentile(values, 0.95))} of ${values.length}`,
    conditions: before,
    ...(goalMs === undefined || busy === 0 ? {} : { goal: `≤ ${ms(goalMs)}`, met: median(values) <= goalMs }),
  });
  return [
    row('start of `slipway serve` until it serves', starts),
    row(
      'first paint, cold app and browser cache',
      first.map(({ paintMs }) => paintMs),
      paintGoalMs,
    ),
    row(
      'workloads shown, cold app and browser cache',
      first.map(({ usableMs }) => usableMs),
      usableGoalMs,
    ),
    row(
      'first paint, app runs, cold browser cache',
      later.map(({ paintMs }) => paintMs),
      paintGoalMs,
    ),
    row(
      'workloads shown, app runs, cold browser cache',
      later.map(({ usableMs }) => usableMs),
      usableGoalMs,
    ),
  ];
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

async function load(browser: Browser, url: string, hash: string): Promise<Load> {
  await using opened = await openPage(browser, url, hash);
  const { page, probe } = opened;
  await page.waitForFunction((it) => it.usableAt !== undefined, probe);
  const usableMs = (await probe.evaluate((it) => it.usableAt)) ?? Number.NaN;
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  return { paintMs, usableMs };
}

/** The app as its users start it. */
async function serve(home: string): Promise<Served> {
  const started = performance.now();
  const child = spawn(slipway, ['serve', '--json'], {
    env: { ...process.env, SLIPWAY_HOME: home, KUBECONFIG: testKubeconfig() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error('slipway serve does not serve')), startWithinMs);
    createInterface(child.stdout).on('line', (line) => {
      const { event, url: told } = JSON.parse(line) as { readonly event: string; readonly url: string };
      if (event !== 'serving') return;
      clearTimeout(timeout);
      resolve(told);
    });
  });
  return { url, startMs: performance.now() - started, [Symbol.asyncDispose]: () => endChild(child) };
}

/** The address of the page with the namespace's workloads, as a click leads there. */
async function hashOfNamespace(browser: Browser, home: string, namespace: string): Promise<string> {
  await using served = await serve(home);
  await using opened = await openPage(browser, served.url, '');
  const { page } = opened;
  await page.getByRole('navigation', { name: 'Clusters' }).getByRole('link').first().click();
  await page
    .getByRole('navigation', { name: 'Namespaces and sessions' })
    .getByRole('link', { name: namespace })
    .click();
  await page.getByRole('grid', { name: 'Workloads' }).getByRole('gridcell').first().waitFor();
  return new URL(page.url()).hash;
}
