import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { connectHelper, type ConnectHelperOptions } from './attach.ts';
import type { ContentPart, HelperConnection } from './connection.ts';
import {
  EntryKind,
  OperationResult_Outcome,
  Rule_Match,
  WriteMode,
  type OperationResult,
} from './gen/slipway/helper/v1/helper.ts';
import { absent, actionItem, directory, putItem, sha256 } from './testing/items.ts';
import { localExec } from './testing/local-exec.ts';

const binary = fileURLToPath(
  new URL(`../../assets/helper/slipway-helper-linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}`, import.meta.url),
);
const target = { namespace: 'test', pod: 'test' };

/** The real helper as a local process, on a root of its own. */
describe.skipIf(process.platform !== 'linux')('a connected helper', () => {
  let folder = '';
  let root = '';
  let helperPath = '';
  let epoch = 0;
  let kube = localExec();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-helper-'));
    root = join(folder, 'root');
    helperPath = join(folder, '.slipway-test', 'helper');
    mkdirSync(dirname(helperPath));
    writeFileSync(helperPath, readFileSync(binary));
    chmodSync(helperPath, 0o700);
    kube = localExec();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const connect = (options: Partial<ConnectHelperOptions> = {}): Promise<HelperConnection> =>
    connectHelper({
      kube,
      target,
      helperPath,
      pair: 'app',
      root,
      createRoot: true,
      writeMode: WriteMode.WRITE_MODE_AUTO,
      rules: [],
      poll: false,
      epoch: (epoch += 1),
      trashCapBytes: 1024 * 1024,
      ...options,
    });
  const outcomes = (results: readonly OperationResult[]): string[] =>
    results.map(({ outcome }) => Object.entries(OperationResult_Outcome).find(([, value]) => value === outcome)?.[0] ?? '?');

  it('applies a batch in order and answers each operation', async () => {
    await using connection = await connect();
    const results = await connection.apply(
      [
        actionItem('d', absent, { $case: 'makeDirectory', value: { mode: 0o755 } }),
        putItem('d/run', '#!/bin/sh\necho ran\n', { mode: 0o755 }),
        actionItem('d/link', absent, { $case: 'makeSymlink', value: { target: 'run' } }),
        putItem('d/run', 'other'),
        putItem('../x', 'outside'),
        actionItem('d', directory, { $case: 'delete', value: {} }),
      ],
      'interactive',
    );
    expect(outcomes(results)).toEqual([
      'OUTCOME_APPLIED',
      'OUTCOME_APPLIED',
      'OUTCOME_APPLIED',
      'OUTCOME_MISMATCH',
      'OUTCOME_REFUSED',
      'OUTCOME_FAILED',
    ]);
    expect(results[5]?.error).toBe('ENOTEMPTY: directory not empty');
    expect(execFileSync(join(root, 'd/link'), { encoding: 'utf8' })).toBe('ran\n');
    expect(statSync(join(root, 'd/run'), { bigint: true }).mtimeNs).toBe(1_700_000_000_123_456_789n);
  });

  it('scans what find finds, with problems for what is not a name', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    for (const name of ['plain', 'a/b/new\nline', 'a/-rf', 'a/ä "q" $HOME']) writeFileSync(join(root, name), name);
    symlinkSync('/etc/passwd', join(root, 'outside'));
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'pipe')]);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), 'x');
    await using connection = await connect();
    const scan = await connection.scan({ below: [] });
    const found = execFileSync('find', ['.', '-mindepth', '1', '-print0'], { cwd: root });
    const names = found.toString('latin1').split('\0').filter((name) => name !== '' && !name.includes('bad-'));
    expect([...scan.entries.keys()].sort()).toEqual(names.map((name) => Buffer.from(name.slice(2), 'latin1').toString()).sort());
    expect(scan.problems).toMatchObject([{ path: 'bad-\\xff' }]);
    expect(scan.entries.get('outside')).toMatchObject({ kind: EntryKind.ENTRY_KIND_SYMLINK, target: '/etc/passwd' });
    expect(scan.entries.get('pipe')?.kind).toBe(EntryKind.ENTRY_KIND_OTHER);
    expect([...(await connection.scan({ below: ['a/b', 'gone'] })).entries.keys()].sort()).toEqual(['a/b', 'a/b/new\nline']);
  });

  it('leaves out what the rules exclude', async () => {
    mkdirSync(join(root, 'node_modules/x'), { recursive: true });
    writeFileSync(join(root, 'kept'), '');
    const rule = { match: Rule_Match.MATCH_LITERAL, text: 'node_modules', basename: true, directoryOnly: true, negate: false };
    await using connection = await connect({ rules: [rule] });
    expect([...(await connection.scan({ below: [] })).entries.keys()]).toEqual(['kept']);
    expect(await readAll(connection, ['node_modules/x'])).toMatchObject([{ end: { error: 'excluded' } }]);
  });

  it('streams contents in the order asked for and says what cannot be read', async () => {
    await using connection = await connect();
    const large = Buffer.alloc(700_000, 'slipway ');
    writeFileSync(join(root, 'large'), large);
    writeFileSync(join(root, 'empty'), '');
    symlinkSync('/etc/passwd', join(root, 'link'));
    const parts = await readAll(connection, ['large', 'gone', 'empty', 'link']);
    const data = Buffer.concat(parts.filter(({ path }) => path === 'large').map((part) => part.data ?? new Uint8Array()));
    expect(data.equals(large)).toBe(true);
    const ends = parts.filter((part) => part.end !== undefined).map(({ path, end }) => [path, end?.error, end?.digest.length]);
    expect(ends).toEqual([
      ['large', '', 32],
      ['gone', 'ENOENT: no such file or directory', 0],
      ['empty', '', 32],
      ['link', 'ELOOP: too many levels of symbolic links', 0],
    ]);
    const checksums = await connection.checksums(['large', 'gone', 'link']);
    expect(checksums.get('large')?.digest).toEqual(sha256(large));
    expect(checksums.get('gone')?.kind).toBe(EntryKind.ENTRY_KIND_UNSPECIFIED);
    expect(checksums.get('link')).toMatchObject({ kind: EntryKind.ENTRY_KIND_SYMLINK, target: '/etc/passwd' });
  });

  it('lets other requests pass a reader that has stopped reading', async () => {
    await using connection = await connect();
    writeFileSync(join(root, 'large'), Buffer.alloc(32 * 1024 * 1024));
    const stalled = connection.readContent(['large'])[Symbol.asyncIterator]();
    await stalled.next();
    await systemClock.sleep(300);
    const [pid] = kube.processes.filter(({ command }) => command.includes('downstream')).map((process) => process.pid);
    const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    expect(Number(memory)).toBeLessThan(40_000);
    expect((await connection.scan({ below: [] })).entries.size).toBe(1);
    await stalled.return?.();
    expect((await readAll(connection, ['large'])).at(-1)?.end?.error).toBe('');
  });

  it('ends a request that is aborted and keeps the others', async () => {
    await using connection = await connect();
    writeFileSync(join(root, 'large'), Buffer.alloc(32 * 1024 * 1024));
    const abort = new AbortController();
    const reading = readAll(connection, ['large'], abort.signal);
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect((await connection.scan({ below: [] })).entries.size).toBe(1);
  });

  it('pushes changes as they happen', async () => {
    await using connection = await connect();
    const seen: string[] = [];
    connection.onChanges(({ changes }) => seen.push(...changes.map(({ path, entry }) => `${path} ${entry?.kind} ${entry?.size}`)));
    writeFileSync(join(root, 'a'), 'abc');
    await expect.poll(() => seen).toContain('a 1 3');
    rmSync(join(root, 'a'));
    await expect.poll(() => seen).toContain('a 0 0');
  });

  it('sends an interactive batch ahead of bulk ones that wait', async () => {
    await using connection = await connect();
    const done: string[] = [];
    const bulk = Array.from({ length: 30 }, (_, index) =>
      connection.apply([putItem(`bulk${index}`, Buffer.alloc(1024 * 1024))], 'bulk').then(() => done.push('bulk')),
    );
    const edit = connection.apply([putItem('edit', 'x')], 'interactive').then(() => done.push('edit'));
    await Promise.all([...bulk, edit]);
    expect(done.indexOf('edit')).toBeLessThan(6);
  });

  it('keeps what it replaces and lists it', async () => {
    await using connection = await connect();
    const [first] = await connection.apply([putItem('a', 'old content')], 'bulk');
    const expected = first?.now ?? absent;
    const [second] = await connection.apply([putItem('a', 'new', { expected })], 'bulk');
    expect(second?.trashed).toBe(true);
    expect(await connection.listTrash()).toMatchObject({ items: [{ path: 'a', entry: { size: 11n } }], totalBytes: 11 });
  });

  it('shuts out an earlier connection of the same pair', async () => {
    await using first = await connect();
    await using second = await connect();
    await expect(first.apply([putItem('late', 'x')], 'bulk')).rejects.toMatchObject({ code: 'helper.superseded' });
    expect((await first.lost).code).toBe('helper.superseded');
    await expect(first.scan({ below: [] })).rejects.toMatchObject({ code: 'helper.superseded' });
    expect(outcomes(await second.apply([putItem('now', 'x')], 'bulk'))).toEqual(['OUTCOME_APPLIED']);
    await expect(connect({ epoch: epoch - 1 })).rejects.toMatchObject({ code: 'helper.superseded' });
  });

  it.each(['upstream', 'downstream'])('is lost when the %s process is killed, with everything under way', async (which) => {
    await using connection = await connect();
    writeFileSync(join(root, 'large'), Buffer.alloc(32 * 1024 * 1024));
    const reading = connection.readContent(['large'])[Symbol.asyncIterator]();
    await reading.next();
    const pid = kube.processes.find(({ command }) => command.includes(which))?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    expect((await connection.lost).code).toBe('helper.lost');
    await expect(connection.apply([putItem('a', 'x')], 'bulk')).rejects.toMatchObject({ code: 'helper.lost' });
    await expect(connection.scan({ below: [] })).rejects.toMatchObject({ code: 'helper.lost' });
    await expect(
      (async () => {
        while ((await reading.next()).done !== true);
      })(),
    ).rejects.toMatchObject({ code: 'helper.lost' });
  });

  it('is lost when a process gives no sign of life', async () => {
    await using connection = await connect();
    const pid = kube.processes.find(({ command }) => command.includes('downstream'))?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    const error = await connection.lost;
    expect(error.code).toBe('stream.lost');
  }, 15_000);

  it('tells a missing folder and a missing helper apart', async () => {
    await expect(connect({ createRoot: false })).rejects.toMatchObject({ code: 'sync.remote-path-missing' });
    await expect(connect({ helperPath: join(folder, 'nothing') })).rejects.toMatchObject({ code: 'helper.missing' });
  });

  it('removes itself and says what went with it', async () => {
    {
      await using connection = await connect();
      const [first] = await connection.apply([putItem('a', 'old content')], 'bulk');
      await connection.apply([putItem('a', 'new', { expected: first?.now ?? absent })], 'bulk');
    }
    expect(execFileSync(helperPath, ['remove'], { encoding: 'utf8' })).toBe('removed trash-files=1 trash-bytes=11\n');
    expect(() => statSync(dirname(helperPath))).toThrow('ENOENT');
  });
});

async function readAll(connection: HelperConnection, paths: readonly string[], signal?: AbortSignal): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  for await (const part of connection.readContent(paths, { signal })) parts.push(part);
  return parts;
}
