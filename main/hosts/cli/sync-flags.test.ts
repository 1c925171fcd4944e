import { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSlipwayError } from '../../base/errors.ts';
import { addSyncFlags, parseRate, readSyncFlags, type SyncFlags } from './sync-flags.ts';

/** What a command line says, as commander reads it. */
async function read(...args: readonly string[]) {
  const command = addSyncFlags(new Command('sync')).exitOverride();
  command.parse([...args], { from: 'user' });
  return readSyncFlags(command.opts<SyncFlags>(), '/work');
}

describe('the flags of a sync', () => {
  it('lose nothing by default: both ways, the laptop first, the brake on', async () => {
    const { pairs } = await read('--path', './a:/app');
    expect(pairs).toMatchObject([
      { path: './a:/app', strategy: 'preferLocal', direction: 'both', brake: true, writeMode: 'auto' },
    ]);
  });

  it('say the same of every pair, and a pair in JSON says more of itself by the names of DevSpace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-flags-'));
    try {
      writeFileSync(join(folder, '.syncignore'), '\uFEFFdist/\r\n# a comment\n*.log\n');
      const { pairs, startContainer, notices } = await read(
        ...['--path', './a:/a', '-e', '.git', '--upload-only', '--upload-limit', '100'],
        '--path',
        JSON.stringify({
          path: `${folder}:/b`,
          excludePaths: ['x'],
          excludeFile: '.syncignore',
          disableUpload: true,
          initialSync: 'mirrorRemote',
          initialSyncCompareBy: 'mtime',
          bandwidthLimits: { download: 2 },
          polling: true,
          noWatch: true,
          waitInitialSync: false,
          startContainer: true,
          onUpload: {
            restartContainer: true,
            exec: [
              { command: 'npm ci', onChange: ['package*.json'] },
              { command: 'make', args: ['all'], local: true },
            ],
          },
        }),
      );
      expect(pairs).toMatchObject([
        { path: './a:/a', exclude: ['.git'], direction: 'up', limits: { upBytesPerSecond: 102_400 } },
        {
          exclude: ['.git', 'x', 'dist/', '# a comment', '*.log', ''],
          direction: 'down',
          strategy: 'mirrorRemote',
          limits: { upBytesPerSecond: 102_400, downBytesPerSecond: 2048 },
          polling: { container: true, laptop: false },
          noWatch: true,
          waitInitialSync: false,
          onUpload: {
            restartContainer: true,
            exec: [
              { command: ['sh', '-c', 'npm ci'], local: false, onChange: ['package*.json'], once: false },
              { name: 'make all', command: ['make', 'all'], local: true },
            ],
          },
        },
      ]);
      expect(startContainer).toBe(true);
      expect(notices.join()).toContain('by their content');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('take the flag of before strategies as DevSpace does', async () => {
    const strategyOf = async (...flags: string[]) => (await read('--path', '.', ...flags)).pairs[0]?.strategy;
    expect(await strategyOf('--download-on-initial-sync')).toBe('preferLocal');
    expect(await strategyOf('--download-on-initial-sync=false')).toBe('mirrorLocal');
    expect(await strategyOf('--download-on-initial-sync=false', '--initial-sync', 'keepAll')).toBe('keepAll');
  });

  it.each([
    [['--path', '.', '--upload-only', '--download-only'], /leave no direction/],
    [['--path', '.', '--write-mode', 'fast'], /auto, inPlace/],
    [['--path', '.', '--initial-sync', 'preferLokal'], /strategies are/],
    [['--path', '.', '--initial-sync-compare-by', 'name'], /mtime, size/],
    [['--path', '{"path":"."'], /./],
    [['--path', '{"path":".","excludePath":["x"]}'], /excludePath/],
    [['--path', '.', '--on-upload', '{"command":""}'], /./],
    [[], /--path is missing/],
  ])('refuse %j', async (args, why) => {
    const error: unknown = await read(...args).catch((reason: unknown) => reason);
    if (!isSlipwayError(error, 'usage.invalid')) throw error;
    expect(error.causeText).toMatch(why);
  });

  it.each([
    ['1', 1024],
    ['500', 512_000],
    ['2MiB', 2 * 1024 ** 2],
    ['2m', 2 * 1024 ** 2],
    ['64KiB/s', 65_536],
    ['65536B', 65_536],
    ['1.5g', 1.5 * 1024 ** 3],
  ])('%s is a rate', (text, bytes) => expect(parseRate('--upload-limit', text)).toBe(bytes));

  it.each(['0', '-1', 'fast', '', '10 apples'])('%j is no rate', (text) => {
    expect(() => parseRate('--upload-limit', text)).toThrow(/no rate/);
  });
});
