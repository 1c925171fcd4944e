import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createPathRules } from '../rules.ts';
import type { WatchHint } from '../watcher.ts';
import { DirectoryWatcher } from './directory-watcher.ts';

describe.skipIf(process.platform !== 'linux')('a watcher of folders', () => {
  let root: string;
  let watcher: DirectoryWatcher;
  let hints: WatchHint[];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'slipway-watch-'));
    mkdirSync(join(root, 'd/sub'), { recursive: true });
    watcher = new DirectoryWatcher({ root, rules: createPathRules(), clock: systemClock });
    hints = [];
    watcher.onHint((hint) => hints.push(hint));
    await watcher.start();
  });
  afterEach(async () => {
    await watcher[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  const names = (kind: 'path' | 'folder'): string[] =>
    hints.flatMap((hint) => (hint.kind === kind ? [hint.path] : []));

  it('says of a new folder that it was not watched before', async () => {
    mkdirSync(join(root, 'new/deep'), { recursive: true });
    writeFileSync(join(root, 'new/deep/early'), '');
    await expect.poll(() => names('folder')).toEqual(['new']);
    writeFileSync(join(root, 'new/deep/late'), '');
    await expect.poll(() => names('path')).toContain('new/deep/late');
    expect(names('folder')).toEqual(['new']);
  });

  it('goes on in a folder that was removed and made again', async () => {
    for (let round = 0; round < 3; round++) {
      hints = [];
      rmSync(join(root, 'd'), { recursive: true });
      mkdirSync(join(root, 'd/sub'), { recursive: true });
      await expect.poll(() => names('folder')).toContain('d');
      await sleep(20);
      writeFileSync(join(root, 'd/f'), '');
      writeFileSync(join(root, 'd/sub/g'), '');
      await expect.poll(() => names('path')).toEqual(expect.arrayContaining(['d/f', 'd/sub/g']));
    }
    expect(watcher.watchedFolders).toBe(3);
  });

  it('goes on in a folder that was moved away and made again, and in the moved one', async () => {
    renameSync(join(root, 'd'), join(root, 'moved'));
    mkdirSync(join(root, 'd'));
    await expect.poll(() => names('folder')).toEqual(expect.arrayContaining(['d', 'moved']));
    await sleep(20);
    writeFileSync(join(root, 'd/f'), '');
    writeFileSync(join(root, 'moved/sub/g'), '');
    await expect.poll(() => names('path')).toEqual(expect.arrayContaining(['d/f', 'moved/sub/g']));
    expect(watcher.watchedFolders).toBe(4);
  });

  it('follows a child that is called like its folder', async () => {
    mkdirSync(join(root, 'd/d'));
    await expect.poll(() => watcher.watchedFolders).toBe(4);
    await sleep(20);
    writeFileSync(join(root, 'd/d/f'), '');
    await expect.poll(() => names('path')).toContain('d/d/f');
  });
});
