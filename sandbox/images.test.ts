import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageRecipe } from './image-recipes.ts';
import { sharedLibraries } from './image-store.ts';
import { buildImage, hashFile } from './images.ts';
import { run } from './run.ts';

describe.skipIf(process.platform !== 'linux')('an image', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'slipway-images-'));
    writeFileSync(path.join(folder, 'tool'), 'contents of a tool');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const recipe = (file: string, text = 'hello'): ImageRecipe => ({
    reference: 'docker.io/sandbox/test:1',
    layers: [
      {
        entries: [
          { kind: 'folder', path: '/tmp', mode: 0o1777 },
          { kind: 'copy', path: '/bin/tool', from: path.join(folder, file), mode: 0o755 },
          { kind: 'link', path: '/bin/alias', to: 'tool' },
          { kind: 'text', path: '/app/greeting', text },
        ],
      },
    ],
    config: { Cmd: ['/bin/tool'] },
  });

  it('is the same to the byte whenever it is made', async () => {
    const first = await buildImage(recipe('tool'), path.join(folder, 'one'));
    utimesSync(path.join(folder, 'tool'), 1, 1);
    const second = await buildImage(recipe('tool'), path.join(folder, 'two'));
    expect(await hashFile(second.archive)).toBe(await hashFile(first.archive));
  });

  it('is kept under a key of its contents', async () => {
    writeFileSync(path.join(folder, 'moved'), 'contents of a tool');
    writeFileSync(path.join(folder, 'changed'), 'contents of another');
    const cache = path.join(folder, 'keys');
    const first = await buildImage(recipe('tool'), cache);
    expect((await buildImage(recipe('moved'), cache)).key).toBe(first.key);
    expect((await buildImage(recipe('changed'), cache)).key).not.toBe(first.key);
    expect((await buildImage(recipe('tool', 'other'), cache)).key).not.toBe(first.key);
  });

  it('has layers with root as the owner, modes and links as the recipe says', async () => {
    const image = await buildImage(recipe('tool'), path.join(folder, 'listing'));
    const entries = (await run(['tar', '-tf', image.archive]))
      .split('\n')
      .filter((name) => /sha256\/./.test(name));
    expect(entries).toHaveLength(3);
    const listings = await Promise.all(
      entries.map((entry) =>
        run([
          'sh',
          '-c',
          'tar -xOf "$0" "$1" | tar -tv --numeric-owner 2>/dev/null || true',
          image.archive,
          entry,
        ]),
      ),
    );
    const layer = listings.find((listing) => listing.includes('greeting')) ?? '';
    expect(layer).toMatch(/drwxrwxrwt 0\/0 .* \.\/tmp\//);
    expect(layer).toMatch(/-rwxr-xr-x 0\/0 .* \.\/bin\/tool/);
    expect(layer).toMatch(/-rw-r--r-- 0\/0 .* \.\/app\/greeting/);
    expect(layer).toContain('./bin/alias -> tool');
  });
});

it('the libraries of a program are found in what ldd says', () => {
  const said = `	linux-vdso.so.1 (0x00007f145fdd4000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f145fdbe000)
	libmissing.so => not found
	/lib64/ld-linux-x86-64.so.2 (0x00007f145fdd6000)
`;
  expect(sharedLibraries(said)).toEqual(['/lib/x86_64-linux-gnu/libdl.so.2', '/lib64/ld-linux-x86-64.so.2']);
});
