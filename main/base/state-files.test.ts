import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskStateFiles, onStateDisk } from './state-files.ts';

describe('state files on disk', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-state-'));
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });

  it('makes private folders and files', async () => {
    await diskStateFiles.write(join(folder, 'a/b/c.json'), 'x');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a/b/c.json')).mode & 0o777).toBe(0o600);
  });

  it('replaces a file whole and leaves no temporary name behind', async () => {
    const path = join(folder, 'x');
    await diskStateFiles.write(path, 'long first content');
    await diskStateFiles.write(path, 'short');
    expect(readFileSync(path, 'utf8')).toBe('short');
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('removes its temporary file when the target cannot be replaced', async () => {
    await diskStateFiles.write(join(folder, 'x/y'), '1');
    await expect(diskStateFiles.write(join(folder, 'x'), '2')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('reads a missing file as undefined and lists a missing folder as empty', async () => {
    expect(await diskStateFiles.read(join(folder, 'none'))).toBeUndefined();
    expect(await diskStateFiles.list(join(folder, 'none'))).toEqual([]);
  });

  it('says so when a file exists and cannot be read', async () => {
    await diskStateFiles.write(join(folder, 'd/f'), '1');
    await expect(diskStateFiles.read(join(folder, 'd'))).rejects.toMatchObject({
      code: 'disk.state-unusable',
      causeText: expect.stringContaining('EISDIR') as string,
    });
  });

  it('says what to do when its folder cannot be made', async () => {
    await diskStateFiles.write(join(folder, 'home'), 'a file, not a folder');
    await expect(diskStateFiles.write(join(folder, 'home/sessions/s.json'), '{}')).rejects.toMatchObject({
      code: 'disk.state-unusable',
      next: expect.stringContaining('SLIPWAY_HOME') as string,
    });
  });

  it.runIf(process.platform === 'linux')('tells a full disk from one that is not ours', async () => {
    await expect(onStateDisk('/dev/full', () => writeFile('/dev/full', 'x'))).rejects.toMatchObject({
      code: 'disk.full',
    });
  });
});
