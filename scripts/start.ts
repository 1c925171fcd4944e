// Shows the window: in Electron where its program can be had, else in a browser. Says which, and why, in one sentence.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { downloadElectron, electronProgram, findElectron } from './electron-binary.ts';
import { decideHost, type HostDecision } from './start-decision.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** A desktop window that ends sooner with a failure has never been there. */
const startedAfterMs = 5_000;

function say(sentence: string): void {
  console.log(`slipway: ${sentence}`);
}

async function decide(): Promise<Exclude<HostDecision, { kind: 'download' }>> {
  const facts = findElectron(root, process.env, process.platform);
  const decision = decideHost(facts);
  if (decision.kind !== 'download') return decision;
  say(`fetching Electron ${facts.wanted} (once, about 120 MB)`);
  const refusal = await downloadElectron(root, process.env);
  if (refusal !== undefined)
    return { kind: 'browser', why: `Electron ${facts.wanted} is not here and ${refusal}` };
  const again = decideHost(findElectron(root, process.env, process.platform));
  return again.kind === 'download' ? { kind: 'browser', why: 'its download left no Electron behind' } : again;
}

/** Resolves when the desktop app has ended; with why it did not even start, if it did not. */
async function runElectron(from: 'override' | 'installed'): Promise<string | undefined> {
  const { buildDesktop } = await import('./build-desktop.ts');
  await buildDesktop(root);
  const program = electronProgram(root, from, findElectron(root, process.env, process.platform));
  const started = performance.now();
  return new Promise((resolve) => {
    const app = spawn(program, [root, ...process.argv.slice(2)], { stdio: 'inherit' });
    // The app stops its sessions first: this process waits for it.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.kill(signal));
    app.on('error', (error) => resolve(error.message));
    app.on('close', (code, signal) => {
      if (code !== 0 && performance.now() - started < startedAfterMs)
        return resolve(`Electron ended at once (${signal ?? `exit code ${code}`})`);
      process.exitCode = code ?? 1;
      resolve(undefined);
    });
  });
}

async function serve(why: string): Promise<void> {
  say(`opening the window in the browser, because ${why}.`);
  const start = join(root, 'main/hosts/cli/start.ts');
  process.argv.splice(1, 1, start, 'serve', '--open');
  await import(start);
}

const decision = await decide();
if (decision.kind === 'electron') {
  say(`opening the desktop window, since ${decision.why}.`);
  const failure = await runElectron(decision.from);
  if (failure !== undefined) await serve(failure);
} else await serve(decision.why);
