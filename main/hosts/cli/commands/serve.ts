import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { untilAborted } from '../../../dev/until-aborted.ts';
import type { WindowServices } from '../../../compose-window.ts';
import type { Invocation } from '../command.ts';
import type { Act } from '../run-cli.ts';

interface Flags {
  readonly port?: string;
  readonly open?: boolean;
}

const windowFolder = fileURLToPath(new URL('../../../../dist/renderer', import.meta.url));

export function addServeCommand(program: Command, act: Act): void {
  const serve = program
    .command('serve')
    .description('show the window in a browser of this machine, until Ctrl-C')
    .option('--port <number>', 'port of this machine; a free one unless given')
    .option('--open', 'open the browser');
  act<Flags>(serve, async (invocation, _args, flags) => {
    await serveWindow(invocation, readPort(flags.port), flags.open === true);
    return undefined;
  });
}

async function serveWindow(invocation: Invocation, port: number, openBrowser: boolean): Promise<void> {
  const { services, environment, stop } = invocation;
  await assertBuilt();
  // Most commands never need the window's part.
  const { composeWindow } = await import('../../../compose-window.ts');
  const { startWebHost } = await import('../../web/server.ts');
  const { openInBrowser } = await import('../../web/open-in-browser.ts');
  await using window = await composeWindow({
    services,
    abilities: { host: 'web', startFolder: environment.workingFolder },
    environment: environmentOf(invocation),
    shellEnvironment: process.env,
    platform: process.platform,
    onBug: (error) =>
      invocation.warn(
        `A bug in Slipway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
  });
  await using host = await startWebHost({
    folder: windowFolder,
    port,
    token: randomBytes(32).toString('base64url'),
    clock: services.clock,
    accept: (connection) => window.dispatcher.connect(connection),
  });
  if (invocation.json) invocation.printJson({ event: 'serving', url: host.url, port: host.port });
  else invocation.print(`The window is at ${host.url}\nOnly this address opens it. Ctrl-C ends it.`);
  await using browser = openBrowser ? await openInBrowser(host.url, process.platform) : undefined;
  if (browser?.opened === false)
    invocation.warn('No program to open a browser was found. Open the address yourself.');
  await untilAborted(stop);
  await stopSessions(invocation, window);
}

/** The kubeconfig that was named takes the place of KUBECONFIG, as in every command. */
function environmentOf({ options }: Invocation): NodeJS.ProcessEnv {
  return options.kubeconfig === undefined
    ? process.env
    : { ...process.env, KUBECONFIG: resolve(options.kubeconfig) };
}

/** A second signal leaves at once: see main.ts. */
async function stopSessions(invocation: Invocation, window: WindowServices): Promise<void> {
  await window.sessions.stopAll({
    onProgress(text) {
      if (invocation.json) invocation.printJson({ event: 'stopping', message: text });
      else invocation.progress(text);
    },
  });
  const remaining = window.leftBehind();
  if (remaining.length === 0) return;
  throw new SlipwayError({
    code: 'session.restore-incomplete',
    message: 'Not everything could be put back.',
    cause: remaining.join(' '),
    next: 'See what remains with "slipway leftovers", and restore it with "slipway reset pods".',
  });
}

function readPort(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `"${text}" is no port.`,
    cause: 'A port is a whole number from 0 to 65535.',
    next: 'Give another one with --port, or leave it out to take a free one.',
  });
}

async function assertBuilt(): Promise<void> {
  if (await stat(join(windowFolder, 'index.html')).catch(() => undefined)) return;
  throw new SlipwayError({
    code: 'window.missing',
    message: 'The window is not built.',
    cause: `There is no ${join(windowFolder, 'index.html')}.`,
    next: 'Run: npm run build',
  });
}
