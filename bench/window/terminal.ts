import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { kubectlProgram } from '../../sandbox/client.ts';
import { kubectl, testKubeconfig } from '../../tests/support/kubectl.ts';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { median, percentile } from '../support/statistics.ts';
import type { Bench, BenchContext } from './bench.ts';
import { openPage, type OpenPage } from './browser.ts';
import { openKubectlShell } from './kubectl-shell.ts';
import { profilePage } from './profile.ts';
import { runSession, type RunningSession } from './session.ts';

const lines = 1_500_000;
/** `%07d` and a text: see `makeFile`. */
const bytesOfLine = 64;
const goalMegabytes = 12;
const mostRounds = 5;
const interruptGoalMs = 100;
/** How long a flood runs before it is interrupted. */
const floodMs = 1500;
const bigFile = '/tmp/big.txt';
const prompt = 'bench$';

/** Output of a real shell to the screen, and how soon Ctrl-C ends a flood. */
export const terminal: Bench = {
  name: 'terminal',
  run: async (context) => {
    await using session = await runSession('e10-terminal');
    await makeFile(session);
    await using opened = await openPage(context.browser, session.url, session.hash('terminal'));
    await preparePrompt(opened);
    return [...(await throughput(context, opened, session)), ...(await interrupts(context, opened, session))];
  },
};

async function makeFile({ place, pod }: RunningSession): Promise<void> {
  const text = 'the quick brown fox jumps over the lazy dog 0123456789a';
  const script = `awk 'BEGIN { for (i = 0; i < ${lines}; i++) printf "%07d %s\\n", i, "${text}" }' > ${bigFile}`;
  await kubectl('-n', place.namespace, 'exec', pod, '--', 'sh', '-c', script);
}

async function preparePrompt({ page, probe }: OpenPage): Promise<void> {
  await page.locator('[data-terminal] textarea').focus();
  await page.waitForFunction(
    () => (document.querySelector('.xterm-rows')?.textContent ?? '').includes('#'),
    undefined,
  );
  await page.keyboard.type(`PS1='${prompt} '; clear\n`);
  await probe.evaluate((it, text) => it.whenPrompt(text), prompt);
}

async function throughput(
  { rounds, signal, profile }: BenchContext,
  { page, probe }: OpenPage,
  session: RunningSession,
): Promise<readonly Result[]> {
  const screen: number[] = [];
  const piped: number[] = [];
  const withTerminal: number[] = [];
  const before = conditions();
  const megabytes = (lines * bytesOfLine) / 1e6;
  for (let round = 0; round < Math.min(rounds, mostRounds); round++) {
    signal.throwIfAborted();
    await page.keyboard.type(`cat ${bigFile}; echo done''-${round}`);
    const shown = probe.evaluate((it, row) => it.whenRow(row).then((at) => at - it.keyAt), `done-${round}`);
    await page.keyboard.press('Enter');
    if (profile !== undefined && round === 0)
      await profilePage(page, 3, join(profile, 'terminal-page.cpuprofile'));
    screen.push(megabytes / ((await shown) / 1000));
    piped.push(megabytes / (await kubectlSeconds(session, false)));
    withTerminal.push(megabytes / (await kubectlSeconds(session, true)));
  }
  const rate = median(screen);
  return [
    {
      what: `terminal, \`cat\` of ${Math.round(megabytes)} MB in a pod, from Enter to the last line on the screen`,
      goal: `${goalMegabytes} MB/s`,
      measured: `median ${rate.toFixed(1)} MB/s (${list(screen)})`,
      against: `kubectl exec -it to /dev/null ${median(withTerminal).toFixed(1)} MB/s (ratio ${(rate / median(withTerminal)).toFixed(2)}), without a terminal ${median(piped).toFixed(1)} MB/s`,
      met: rate >= goalMegabytes,
      conditions: before,
    },
  ];
}

function list(values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join(', ');
}

/** How long kubectl takes for the same file with nothing to show it, without the time that it takes to begin. */
async function kubectlSeconds({ place, pod }: RunningSession, tty: boolean): Promise<number> {
  const exec = `exec ${tty ? '-it' : ''} -n ${place.namespace} ${pod} --`;
  const whole = await timed(`${exec} cat ${bigFile}`, tty);
  return whole - (await timed(`${exec} true`, tty));
}

async function timed(args: string, tty: boolean): Promise<number> {
  const command = `exec -a kubectl ${kubectlProgram()} --kubeconfig ${testKubeconfig()} ${args}`;
  const started = performance.now();
  // A terminal is had from `script` alone, which copies what it sees.
  const child = tty
    ? spawn('script', ['-qec', `bash -c '${command}'`, '/dev/null'], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    : spawn('bash', ['-c', command], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`kubectl ${args}: exit code ${code}`);
  return (performance.now() - started) / 1000;
}

async function interrupts(
  { rounds, signal }: BenchContext,
  { page, probe }: OpenPage,
  { place, pod }: RunningSession,
): Promise<readonly Result[]> {
  await using kubectlShell = await openKubectlShell({ namespace: place.namespace, pod, prompt });
  const floods = ['yes', `while true; do cat ${bigFile}; done`];
  const results: Result[] = [];
  for (const flood of floods) {
    const times: number[] = [];
    const kubectlTimes: number[] = [];
    const before = conditions();
    for (let round = 0; round < Math.max(rounds, 10); round++) {
      signal.throwIfAborted();
      await page.keyboard.type(`clear; ${flood}\n`);
      await page.waitForTimeout(floodMs);
      // Its own key presses come first.
      const shown = probe.evaluate((it, text) => it.whenPrompt(text).then((at) => at - it.keyAt), prompt);
      await page.keyboard.press('Control+c');
      times.push(await shown);
      kubectlTimes.push(await kubectlShell.interrupt(flood, floodMs));
    }
    const p95 = percentile(times, 0.95);
    results.push({
      what: `Ctrl-C on \`${flood}\`, from the key to the prompt on the screen`,
      goal: `p95 < ${interruptGoalMs} ms`,
      measured: spread(times),
      against: `kubectl exec -it in a terminal that throws all away, in turns with it: ${spread(kubectlTimes)}`,
      met: p95 < interruptGoalMs,
      conditions: before,
    });
  }
  return results;
}

function spread(times: readonly number[]): string {
  const all = times.map((time) => time.toFixed(0)).join(', ');
  return `median ${median(times).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms of ${times.length} (${all})`;
}
