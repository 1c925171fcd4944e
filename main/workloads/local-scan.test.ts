import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileLines } from '../sync/ignore/explain.ts';
import { createPathRules } from '../sync/rules.ts';
import { scanLocal } from './local-scan.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-local-'));
  await mkdir(join(folder, 'src', 'deep'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, 'src', 'deep', 'a.js'), 'abc');
  await writeFile(join(folder, 'src', 'b.log'), 'x');
  await writeFile(join(folder, 'node_modules', 'big.js'), 'x'.repeat(1000));
  await symlink('..', join(folder, 'src', 'up'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function rules(...lines: readonly string[]) {
  return createPathRules({ exclude: compileLines(lines, 'git') });
}

describe('the files of a folder', () => {
  it('are those within the rules; links are not followed', async () => {
    const scan = await scanLocal(folder, rules('node_modules/', '*.log'), AbortSignal.timeout(10_000));
    expect(scan).toEqual({
      files: new Map([
        ['src/deep/a.js', 3],
        ['src/up', 0],
      ]),
      excluded: 2,
      unreadable: 0,
      cut: false,
    });
  });

  it('are cut at the bound', async () => {
    const scan = await scanLocal(folder, rules(), AbortSignal.timeout(10_000), 2);
    expect(scan.cut).toBe(true);
  });

  it('are not looked at any further when nobody wants them', async () => {
    await expect(scanLocal(folder, rules(), AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
