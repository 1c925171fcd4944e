import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { maximumLines, passedBy, parseScan, scanQuestion, type ContainerScan } from './container-scan.ts';

let folder: string | undefined;

afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** A real shell is the container. */
async function scan(
  path: string,
  excludes: readonly string[],
  rules = new Set<string>(),
): Promise<ContainerScan> {
  const { script, args } = scanQuestion(path, excludes);
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile('sh', ['-c', script, 'sh', ...args], (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout }),
    );
  });
  return parseScan({ kind: 'ended', code, output }, { excluded: (file) => rules.has(file) });
}

describe('the files of a container', () => {
  it('are found with their sizes, without what is passed by', async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-scan-'));
    await mkdir(join(folder, 'src', 'node_modules'), { recursive: true });
    await mkdir(join(folder, '.git'));
    await writeFile(join(folder, 'a b.txt'), '12345');
    await writeFile(join(folder, 'src', "it's $(x).js"), '');
    await writeFile(join(folder, 'src', 'node_modules', 'x.js'), 'x');
    await writeFile(join(folder, '.git', 'HEAD'), 'x');
    await writeFile(join(folder, 'skipped.log'), 'x');
    await symlink('/etc/passwd', join(folder, 'link'));
    const found = await scan(folder, ['node_modules/', '.git', '*.log'], new Set(['skipped.log']));
    expect(found).toEqual({
      kind: 'files',
      folder,
      files: new Map([
        ['a b.txt', 5],
        ["src/it's $(x).js", 0],
        ['link', 0],
      ]),
    });
    const all = await scan(folder, []);
    expect(all.kind === 'files' && all.files.size).toBe(6);
  });

  it('are none when there is no such folder', async () => {
    expect(await scan('/no/such/folder', ['x'])).toEqual({ kind: 'no-folder' });
  });

  it('are unknown when it could not be looked at, with why', () => {
    const rules = { excluded: () => false };
    expect(parseScan({ kind: 'refused', reason: 'No.' }, rules)).toMatchObject({ kind: 'unknown' });
    expect(parseScan({ kind: 'cut', output: '' }, rules)).toMatchObject({ kind: 'unknown' });
    expect(parseScan({ kind: 'ended', code: 127, output: '' }, rules)).toMatchObject({ kind: 'unknown' });
    expect(parseScan({ kind: 'ended', code: 67, output: '' }, rules)).toMatchObject({
      reason: expect.stringContaining('find and stat') as string,
    });
  });

  it('are not looked for in more lines than can be read at once', () => {
    const rules = { excluded: () => true };
    const lines = (count: number): string => `folder /app\n${'1 ./x/y\n'.repeat(count)}`;
    const kindOf = (count: number): string =>
      parseScan({ kind: 'ended', code: 0, output: lines(count) }, rules).kind;
    expect(kindOf(maximumLines - 1)).toBe('files');
    expect(kindOf(maximumLines + 1)).toBe('unknown');
  });

  it('are not read from what a hostile container prints', () => {
    const output = 'folder /app\n-1 ./x\n12 /etc/passwd\n12 ../x\nnoise\n3 ./ok\n';
    const found = parseScan({ kind: 'ended', code: 0, output }, { excluded: () => false });
    expect(found).toMatchObject({ files: new Map([['ok', 3]]) });
  });
});

describe('folders that are passed by', () => {
  it.each([
    [
      ['node_modules/', '.git', '@x'],
      ['node_modules', '.git', '@x'],
    ],
    [['*.log', 'a/b', '/dist', '#x', '..', '.', 'a b'], []],
    [['node_modules/', '!node_modules/keep'], []],
  ])('of %j are %j', (excludes, names) => {
    expect(passedBy(excludes)).toEqual(names);
  });
});
