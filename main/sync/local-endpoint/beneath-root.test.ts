import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RootHandle } from './beneath-root.ts';

describe.runIf(process.platform === 'linux')('a folder below the root', () => {
  let place = '';
  let root: RootHandle;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'slipway-beneath-'));
    for (const name of ['root', 'root/sub', 'outside']) mkdirSync(join(place, name));
    writeFileSync(join(place, 'outside/secret'), 's');
    root = new RootHandle(join(place, 'root'));
  });
  afterEach(() => {
    root[Symbol.dispose]();
    rmSync(place, { recursive: true });
  });

  it.each([
    ['out of the root', '../outside'],
    ['to a folder inside', 'sub'],
  ])('is not reached through a link %s', (_where, target) => {
    symlinkSync(target, join(place, 'root/link'));
    for (const path of ['link/secret', 'sub/../link/secret', 'link/deep/file'])
      expect(() => root.within(path, () => 'reached')).toThrow(/ELOOP|ENOTDIR|ENOENT/);
  });

  it('that becomes a link after it was opened stays the folder that it was', () => {
    root.within('sub/new', (folder, name) => {
      renameSync(join(place, 'root/sub'), join(place, 'root/moved'));
      symlinkSync('../outside', join(place, 'root/sub'));
      writeFileSync(folder.at(name), 'mine');
    });
    expect(readFileSync(join(place, 'root/moved/new'), 'utf8')).toBe('mine');
    expect(readdirSync(join(place, 'outside'))).toEqual(['secret']);
  });

  it('is not looked for in another root that took the name', () => {
    renameSync(join(place, 'root'), join(place, 'old'));
    mkdirSync(join(place, 'root'));
    expect(root.isCurrent()).toBe(false);
    root.within('new', (folder, name) => writeFileSync(folder.at(name), 'mine'));
    expect(readdirSync(join(place, 'root'))).toEqual([]);
    expect(readdirSync(join(place, 'old')).sort()).toEqual(['new', 'sub']);
  });

  it('is let go of: no descriptor stays open', () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    symlinkSync('../outside', join(place, 'root/link'));
    for (let count = 0; count < 20; count++) {
      root.within('sub/x', () => undefined);
      expect(() => root.within('link/x', () => undefined)).toThrow();
      root.release();
    }
    expect(open()).toBe(before);
  });
});
