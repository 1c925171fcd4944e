import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { downloadElectron, electronProgram, findElectron } from './electron-binary.ts';
import { decideHost, type ElectronFacts } from './start-decision.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const laptop: ElectronFacts = {
  installed: false,
  wanted: '45.5.0',
  platform: 'linux',
  hasDisplay: true,
  isRoot: false,
  downloadForbidden: false,
};
const override = { folder: '/opt/electron', version: '45.1.0', exists: true };

test.each<readonly [string, Partial<ElectronFacts>, string, string]>([
  ['installed', { installed: true }, 'electron', 'Electron 45.5.0 is installed'],
  ['given', { override }, 'electron', 'Electron 45.1.0 is in /opt/electron'],
  ['given and installed', { override, installed: true }, 'electron', 'Electron 45.1.0 is in /opt/electron'],
  [
    'given and missing',
    { override: { ...override, exists: false } },
    'browser',
    'there is no Electron in /opt/electron',
  ],
  [
    'given and too old',
    { override: { ...override, version: '39.0.0' } },
    'browser',
    '/opt/electron has Electron 39.0.0, not 45',
  ],
  [
    'given without a version',
    { override: { ...override, version: '' } },
    'browser',
    '/opt/electron has Electron of an unknown version, not 45',
  ],
  ['nowhere', {}, 'download', ''],
  [
    'nowhere, and not to be fetched',
    { downloadForbidden: true },
    'browser',
    'Electron 45.5.0 is not downloaded, and ELECTRON_SKIP_BINARY_DOWNLOAD is set',
  ],
  [
    'without a display',
    { installed: true, hasDisplay: false },
    'browser',
    'there is no display for a window of its own',
  ],
  [
    'for root',
    { installed: true, isRoot: true },
    'browser',
    "Electron's sandbox does not run as root, and is not switched off",
  ],
  [
    'on macOS',
    { installed: true, platform: 'darwin', hasDisplay: false, isRoot: true },
    'electron',
    'Electron 45.5.0 is installed',
  ],
])('Electron %s', (_where, facts, kind, why) => {
  const decision = decideHost({ ...laptop, ...facts });
  expect(decision.kind).toBe(kind);
  expect('why' in decision ? decision.why : '').toBe(why);
});

test('an Electron is found by its folder, and started from there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-electron-'));
  try {
    const environment = { ELECTRON_OVERRIDE_DIST_PATH: folder, DISPLAY: ':0' };
    expect(findElectron(root, environment, 'linux').override).toEqual({ folder, version: '', exists: false });
    await writeFile(join(folder, 'version'), 'v45.5.0\n');
    await writeFile(join(folder, 'electron'), '');
    const found = findElectron(root, environment, 'linux');
    expect(found).toMatchObject({ override: { folder, version: '45.5.0', exists: true }, hasDisplay: true });
    expect(electronProgram(root, 'override', found)).toBe(join(folder, 'electron'));
    await mkdir(join(folder, 'Electron.app/Contents/MacOS'), { recursive: true });
    await writeFile(join(folder, 'Electron.app/Contents/MacOS/Electron'), '');
    expect(findElectron(root, environment, 'darwin').override?.exists).toBe(true);
    expect(findElectron(root, environment, 'win32').override?.exists).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a place that cannot be reached is said, and nothing is waited for', async () => {
  const started = performance.now();
  expect(await downloadElectron(root, { ELECTRON_MIRROR: 'http://127.0.0.1:9/electron/' })).toBe(
    '127.0.0.1:9 cannot be reached',
  );
  expect(performance.now() - started).toBeLessThan(5_000);
});
