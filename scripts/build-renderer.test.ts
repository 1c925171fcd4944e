import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildRenderer, hashSources } from './build-renderer.ts';

let root = '';
let builds = 0;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'slipway-build-'));
  builds = 0;
  await mkdir(join(root, 'renderer/app'), { recursive: true });
  await writeFile(join(root, 'renderer/app/app.tsx'), 'one');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const build = (clean = false): Promise<boolean> =>
  buildRenderer({
    repository: root,
    clean,
    build: async (folder) => {
      builds++;
      for (const output of ['renderer', 'preload']) {
        await mkdir(join(folder, output));
        await writeFile(join(folder, output, 'file'), `build ${builds}`);
      }
    },
  });

test('builds once and again only when a source changed', async () => {
  expect(await build()).toBe(true);
  expect(await build()).toBe(false);
  await writeFile(join(root, 'renderer/app/app.tsx'), 'two');
  expect(await build()).toBe(true);
  expect(await readFile(join(root, 'dist/renderer/file'), 'utf8')).toBe('build 2');
  expect(await build(true)).toBe(true);
});

test('builds again when an output is gone, and leaves nothing else in dist', async () => {
  await build();
  await rm(join(root, 'dist/preload'), { recursive: true });
  expect(await build()).toBe(true);
  expect((await readdir(join(root, 'dist'))).sort()).toEqual(['preload', 'renderer', 'window.sha256']);
});

test('a build that fails keeps what was there and is tried again', async () => {
  await build();
  await writeFile(join(root, 'renderer/app/app.tsx'), 'broken');
  await expect(
    buildRenderer({ repository: root, clean: false, build: () => Promise.reject(new Error('syntax')) }),
  ).rejects.toThrow('syntax');
  expect(await readFile(join(root, 'dist/renderer/file'), 'utf8')).toBe('build 1');
  expect(await build()).toBe(true);
});

test('parts of an earlier build stay for the windows that have its page, and old ones go', async () => {
  await build();
  const assets = join(root, 'dist/renderer/assets');
  await mkdir(assets);
  await writeFile(join(assets, 'page-recent.js'), 'recent');
  await writeFile(join(assets, 'page-old.js'), 'old');
  await utimes(join(assets, 'page-old.js'), new Date(0), new Date(Date.now() - 25 * 60 * 60 * 1000));
  await writeFile(join(root, 'renderer/app/app.tsx'), 'two');
  await build();
  expect(await readdir(assets)).toEqual(['page-recent.js']);
  expect(await readFile(join(assets, 'page-recent.js'), 'utf8')).toBe('recent');
  await build(true);
  expect(await readdir(join(root, 'dist/renderer'))).toEqual(['file']);
});

test('tests and other folders are no source of a build', async () => {
  const before = await hashSources(root);
  await writeFile(join(root, 'renderer/app/app.test.ts'), 'test');
  await mkdir(join(root, 'main'));
  await writeFile(join(root, 'main/compose.ts'), 'main');
  expect(await hashSources(root)).toBe(before);
  await mkdir(join(root, 'contract'));
  await writeFile(join(root, 'contract/api.ts'), 'api');
  expect(await hashSources(root)).not.toBe(before);
});
