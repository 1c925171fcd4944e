import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronFacts } from './start-decision.ts';

/** How long the place of the download may take to answer, and the download itself. */
const answerWithinMs = 3_000;
const downloadWithinMs = 60_000;

/** Path of the program within a folder of Electron's files. */
function programIn(folder: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(folder, 'Electron.app/Contents/MacOS/Electron');
  return join(folder, platform === 'win32' ? 'electron.exe' : 'electron');
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

/** Looks for an Electron; starts and downloads nothing. */
export function findElectron(
  root: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): ElectronFacts {
  const { version } = JSON.parse(readText(join(root, 'node_modules/electron/package.json'))) as {
    version: string;
  };
  const override = environment['ELECTRON_OVERRIDE_DIST_PATH'] ?? '';
  const dist = join(root, 'node_modules/electron/dist');
  return {
    override:
      override === ''
        ? undefined
        : {
            folder: override,
            version: readText(join(override, 'version')).replace(/^v/, ''),
            exists: existsSync(programIn(override, platform)),
          },
    installed:
      readText(join(dist, 'version')).replace(/^v/, '') === version && existsSync(programIn(dist, platform)),
    wanted: version,
    platform,
    hasDisplay: isSet(environment['DISPLAY']) || isSet(environment['WAYLAND_DISPLAY']),
    isRoot: process.getuid?.() === 0,
    downloadForbidden: isSet(environment['ELECTRON_SKIP_BINARY_DOWNLOAD']),
  };
}

/** The program that {@link findElectron} found. */
export function electronProgram(
  root: string,
  from: 'override' | 'installed',
  { override, platform }: ElectronFacts,
): string {
  return programIn(
    from === 'override' && override !== undefined
      ? override.folder
      : join(root, 'node_modules/electron/dist'),
    platform,
  );
}

/** Lets the npm package fetch its program, once and within a minute; resolves with why not, if it could not. */
export async function downloadElectron(
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const place = environment['ELECTRON_MIRROR'] ?? 'https://github.com/electron/electron/releases/';
  const behindProxy = isSet(environment['HTTPS_PROXY']) || isSet(environment['https_proxy']);
  if (!behindProxy) {
    const refusal = await unreachable(place);
    if (refusal !== undefined) return refusal;
  }
  return new Promise((resolve) => {
    const installer = spawn(process.execPath, [join(root, 'node_modules/electron/install.js')], {
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: downloadWithinMs,
      killSignal: 'SIGKILL',
    });
    installer.on('error', (error) => resolve(error.message));
    installer.on('close', (code, signal) => {
      if (signal !== null) resolve(`its download took more than ${downloadWithinMs / 1000} s`);
      else resolve(code === 0 ? undefined : `its download from ${new URL(place).host} failed`);
    });
  });
}

async function unreachable(place: string): Promise<string | undefined> {
  const host = URL.canParse(place) ? new URL(place).host : place;
  try {
    await fetch(place, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerWithinMs) });
    return undefined;
  } catch {
    return `${host} cannot be reached`;
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
