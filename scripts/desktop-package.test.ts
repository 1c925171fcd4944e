import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { stripSources } from './build-desktop.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8')) as unknown;
const builder = read('electron-builder.yml') as {
  electronFuses: Record<string, boolean>;
  electronVersion: string;
  files: string[];
  asar: boolean;
  npmRebuild: boolean;
  extraResources: { from: string; to: string; filter: string[] }[];
  protocols: { schemes: string[] }[];
};
const manifest = read('package.json') as {
  main: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-desktop-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the fuses leave no other way into the packed app', () => {
  expect(builder.electronFuses).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
  });
  expect(builder.asar).toBe(true);
  expect(builder.npmRebuild).toBe(false);
});

test('the package has what is built and nothing else, and the helper for both architectures', () => {
  expect(builder.files).toEqual([
    'package.json',
    'dist/package.json',
    'dist/main/**',
    'dist/contract/**',
    'dist/examples/**',
    'dist/renderer/**',
    'dist/preload/preload.cjs',
    'assets/icon.png',
  ]);
  const helper = ['amd64', 'arm64'].flatMap((architecture) => [
    `slipway-helper-linux-${architecture}`,
    `slipway-helper-linux-${architecture}.gz`,
  ]);
  expect(builder.extraResources).toEqual([
    { from: 'assets/helper', to: 'helper', filter: ['manifest.json', ...helper] },
  ]);
  expect(builder.protocols.map(({ schemes }) => schemes)).toEqual([['slipway']]);
});

test('the Electron that is packed is the one that the types are of', () => {
  expect(manifest.devDependencies['electron']).toBe(builder.electronVersion);
});

test('what Electron starts needs no package but those that are shipped, and no other host', async () => {
  const { files, packages } = await stripSources(root, 'main/hosts/electron/main.ts', folder);
  expect(manifest.main).toBe('dist/main/hosts/electron/main.js');
  expect(existsSync(join(folder, 'main/hosts/electron/main.js'))).toBe(true);
  expect(packages.filter((name) => manifest.dependencies[name] === undefined)).toEqual([]);
  expect(packages).not.toContain('commander');
  const foreign = /^main\/hosts\/(cli\/(main|run-cli|commands\/)|web\/server)|\.test\.ts$|\/testing\//;
  expect(files.filter((file) => foreign.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(['main/sync/local-endpoint/disk.worker.ts', 'main/sync/execution-consent.json']),
  );
});

test('sources without their types run as they did', async () => {
  await stripSources(root, 'main/hosts/cli/main.ts', folder);
  await writeFile(join(folder, 'package.json'), '{"type":"module","version":"1.2.3"}');
  await mkdir(join(folder, 'assets'));
  await symlink(join(root, 'assets/helper'), join(folder, 'assets/helper'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { stdout } = await run(process.execPath, [join(folder, 'main/hosts/cli/main.js'), 'version']);
  expect(stdout).toMatch(/^slipway 1\.2\.3, helper [0-9a-f]+\n$/);
});

test('names of files change in imports alone, and lines stay where they are', async () => {
  await writeFile(
    join(folder, 'one.ts'),
    [
      "import type { Two } from './two.ts';",
      "import { two } from './two.ts';",
      "/** See './two.ts'. */",
      "export const three: Promise<unknown> = import('./three.ts');",
      "export const text: string = './two.ts';",
      "export const data = new URL('data.json', import.meta.url);",
      "export const above = new URL('../package.json', import.meta.url);",
      'export const value: Two = two;',
    ].join('\n'),
  );
  await writeFile(
    join(folder, 'two.ts'),
    "import 'ws';\nexport type Two = number;\nexport const two: Two = 2;",
  );
  await writeFile(join(folder, 'three.ts'), "import { x } from '@scope/package/part';\nexport { x };");
  await writeFile(join(folder, 'data.json'), '{}');
  const output = join(folder, 'output');
  const { files, packages } = await stripSources(folder, 'one.ts', output);
  expect(files).toEqual(['data.json', 'one.ts', 'three.ts', 'two.ts']);
  expect(packages).toEqual(['@scope/package', 'ws']);
  const lines = readFileSync(join(output, 'one.js'), 'utf8').split('\n');
  expect(lines.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    '',
    "import { two } from './two.js';",
    "/** See './two.ts'. */",
    "export const three = import('./three.js');",
    "export const text = './two.ts';",
    "export const data = new URL('data.json', import.meta.url);",
    "export const above = new URL('../package.json', import.meta.url);",
    'export const value = two;',
  ]);
});
