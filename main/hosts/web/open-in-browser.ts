import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The platform's program that opens a file with what the user has chosen for it. */
function opener(platform: NodeJS.Platform, path: string): readonly [string, readonly string[]] {
  if (platform === 'darwin') return ['open', [path]];
  if (platform === 'win32') return ['explorer.exe', [path]];
  return ['xdg-open', [path]];
}

/**
 * Opens the user's browser at an address that is a secret. Everybody on a machine can read with what arguments programs
 * run, so the browser gets a file of the user's own that leads on; disposing removes it. Resolves with whether a
 * program was found to open it.
 */
export async function openInBrowser(
  url: string,
  platform: NodeJS.Platform,
): Promise<AsyncDisposable & { readonly opened: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-'));
  const file = join(folder, 'open.html');
  await writeFile(file, redirectPage(url), { mode: 0o600 });
  return {
    opened: await run(opener(platform, file)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** `url` is one of ours and holds no character that means something in HTML. */
function redirectPage(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Slipway</title>\n`;
}

function run([program, args]: readonly [string, readonly string[]]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
