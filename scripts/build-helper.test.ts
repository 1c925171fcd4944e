import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { buildHelper } from './build-helper.ts';

const sources = fileURLToPath(new URL('../helper', import.meta.url));

it('two builds in different folders are the same bytes, and an unchanged one is not built again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-build-'));
  try {
    const manifests: string[] = [];
    for (const name of ['first', 'a second one with a longer name']) {
      const copy = join(folder, name, 'helper');
      cpSync(sources, copy, { recursive: true });
      const options = { sources: copy, output: join(folder, name, 'out'), tell: () => undefined };
      expect(await buildHelper(options)).toBe(true);
      expect(await buildHelper(options)).toBe(false);
      manifests.push(readFileSync(join(folder, name, 'out', 'manifest.json'), 'utf8'));
    }
    expect(manifests[0]).toBe(manifests[1]);
    const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';
    const helper = join(folder, 'first', 'out', `slipway-helper-linux-${architecture}`);
    // Without an interpreter in its header it needs nothing of the image that it runs in.
    expect(readFileSync(helper).includes('ld-linux')).toBe(false);
    expect(execFileSync(helper, ['version'], { encoding: 'utf8' })).toMatch(
      /^slipway-helper build=[0-9a-f]{32} protocol=1\n$/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
