import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanEvent } from '../../contract/session-events.ts';
import { eventually } from '../support/eventually.ts';
import { slipway } from '../support/slipway.ts';
import { barePod, eventsOf, podsOf, SyncPlace } from '../support/sync-place.ts';

/** Everything below a folder with its content's hash, mode and times to the nanosecond. */
function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const full = join(folder, path);
      const stat = lstatSync(full, { bigint: true });
      const content = stat.isFile()
        ? createHash('sha256').update(readFileSync(full)).digest('hex')
        : stat.isSymbolicLink()
          ? readlinkSync(full)
          : '';
      return `${path} ${stat.mode} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${content}`;
    });
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe('the options of a sync', () => {
  let namespace: Awaited<ReturnType<typeof podsOf>>;
  beforeAll(async () => {
    namespace = await podsOf('e2e-s5-options', (name) => [barePod(name, 'work')]);
  });
  afterAll(() => namespace[Symbol.asyncDispose]());
  const place = (): SyncPlace => new SyncPlace(namespace.name, 'work');

  it('says with --dry-run what would happen and changes nothing at all', async () => {
    using at = place();
    write(at.here('same'), 'same');
    write(at.remote('same'), 'same');
    write(at.here('new/file'), 'up');
    write(at.here('both'), 'mine');
    write(at.remote('both'), 'their');
    write(at.remote('only-there'), 'down');
    write(at.remote('.vscode/settings.json'), '{}');
    const before = [stateOf(at.local), stateOf(at.remote())];
    const helpers = () => readdirSync(join(at.root, 'tmp')).filter((name) => name.startsWith('.slipway-'));
    const known = helpers();
    const run = await at.run('--dry-run');
    expect(run.code, run.stderr).toBe(0);
    const events = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as PlanEvent);
    const steps = events.flatMap((event) =>
      event.event === 'plan'
        ? [
            `${event.where} ${event.action} ${event.path}${event.replaces ? ' replaces' : ''} ${event.held ?? ''}`.trim(),
          ]
        : [],
    );
    expect(steps.sort()).toEqual([
      'container create new/file',
      'container directory new',
      'container update both replaces',
      'laptop create .vscode/settings.json consent',
      'laptop create only-there',
      'laptop directory .vscode',
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'plan-end', same: 1, first: true, steps: steps.length });
    expect([stateOf(at.local), stateOf(at.remote())]).toEqual(before);
    expect(helpers()).toEqual(known);

    const mirrored = await at.run('--dry-run', '--initial-sync', 'mirrorLocal');
    expect(mirrored.stdout).toContain('"action":"delete","path":"only-there"');
    const text = await slipway(
      { home: at.home },
      ...at.arguments(['--dry-run', '--initial-sync', 'mirrorRemote']),
    );
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/↓ on this machine: delete new\/file .*asks first: first-sync/);
    expect(text.stdout).toMatch(/Nothing was changed\./);
    expect([stateOf(at.local), stateOf(at.remote())]).toEqual(before);
  });

  it('plans after a sync what has happened since, and finds the same at a second look', async () => {
    using at = place();
    for (const name of ['same', 'both']) write(at.here(name), name);
    write(at.remote('.vscode/settings.json'), '{}');
    expect((await at.run('--no-watch')).code).toBe(0);
    rmSync(at.here('same'));
    write(at.here('both'), 'mine again');
    const state = [stateOf(at.local), stateOf(at.remote())];
    for (let turn = 0; turn < 2; turn++) {
      const later = await at.run('--dry-run');
      const paths = [...later.stdout.matchAll(/"event":"plan",.*?"action":"(\w+)","path":"([^"]+)"/g)];
      expect(paths.map(([, action, path]) => `${action ?? ''} ${path ?? ''}`).sort()).toEqual([
        'create .vscode/settings.json',
        'delete same',
        'update both',
      ]);
      expect([stateOf(at.local), stateOf(at.remote())]).toEqual(state);
    }
  });

  it('goes one way with --upload-only and --download-only', async () => {
    for (const flag of ['--upload-only', '--download-only'] as const) {
      using at = place();
      write(at.here('mine'), 'mine');
      write(at.remote('their'), 'their');
      await using sync = await at.start(flag);
      const up = flag === '--upload-only';
      expect([existsSync(at.remote('mine')), existsSync(at.here('their'))]).toEqual([up, !up]);
      write(at.here('mine-2'), '2');
      write(at.remote('their-2'), '2');
      await eventually(() => expect(existsSync(up ? at.remote('mine-2') : at.here('their-2'))).toBe(true));
      expect([existsSync(at.remote('mine-2')), existsSync(at.here('their-2'))]).toEqual([up, !up]);
      expect(await sync.stop()).toBe(0);
    }
  });

  it('keeps several pairs at once, a file and a nested folder among them, each with settings of its own', async () => {
    using at = place();
    for (const folder of ['p', 'q', 'nested']) mkdirSync(at.scratch(folder), { recursive: true });
    write(at.scratch('p/a'), 'a');
    write(at.scratch('q/b'), 'b');
    write(at.scratch('q/skip.log'), 'x');
    write(at.scratch('nested/c'), 'c');
    write(at.scratch('one.conf'), 'one');
    const second = JSON.stringify({
      path: `${at.scratch('q')}:${at.remotePath}/q`,
      excludePaths: ['*.log'],
      disableDownload: true,
      writeMode: 'inPlace',
    });
    mkdirSync(at.remote('q'), { recursive: true });
    write(at.remote('q/b'), 'before');
    mkdirSync(at.remote('p/inner'), { recursive: true });
    const inode = statSync(at.remote('q/b')).ino;
    const paths = [
      `${at.scratch('p')}:${at.remotePath}/p`,
      second,
      `${at.scratch('nested')}:${at.remotePath}/p/inner`,
      `${at.scratch('one.conf')}:${at.remotePath}/conf/one.conf`,
    ];
    await using sync = at.launch(at.arguments([], paths));
    const { pairs } = await sync.ready();
    expect(pairs).toHaveLength(4);
    const read = (path: string): string => readFileSync(at.remote(path), 'utf8');
    expect([read('p/a'), read('q/b'), read('p/inner/c'), read('conf/one.conf')]).toEqual([
      'a',
      'b',
      'c',
      'one',
    ]);
    expect(statSync(at.remote('q/b')).ino).toBe(inode);
    expect(existsSync(at.remote('q/skip.log'))).toBe(false);
    write(at.remote('p/inner/d'), 'd');
    write(at.remote('q/e'), 'e');
    write(at.remote('conf/one.conf'), 'two');
    await eventually(() => expect(existsSync(at.scratch('nested/d'))).toBe(true));
    await eventually(() => expect(readFileSync(at.scratch('one.conf'), 'utf8')).toBe('two'));
    expect(existsSync(at.scratch('p/inner'))).toBe(false);
    expect(existsSync(at.scratch('q/e'))).toBe(false);
    expect(await sync.stop()).toBe(0);
    const twice = await slipway(
      { home: at.home },
      ...at.arguments([], [`${at.scratch('p')}:/x`, `${at.scratch('q')}:/x`]),
    );
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('Two pairs have /x')]);
  });

  it('finds changes by polling on both sides', async () => {
    using at = place();
    await using sync = await at.start('--polling', '--poll-local');
    write(at.here('up'), 'up');
    write(at.remote('down'), 'down');
    await eventually(() => {
      expect(readFileSync(at.remote('up'), 'utf8')).toBe('up');
      expect(readFileSync(at.here('down'), 'utf8')).toBe('down');
    });
    expect(await sync.stop()).toBe(0);
  });

  it('leaves permissions alone with --keep-modes, and keeps to a limit of bandwidth', async () => {
    using at = place();
    write(at.here('script'), 'same');
    write(at.remote('script'), 'same');
    chmodSync(at.here('script'), 0o755);
    chmodSync(at.remote('script'), 0o600);
    write(at.here('big'), Buffer.alloc(600 * 1024, execFileSync('head', ['-c', '65536', '/dev/urandom'])));
    const began = performance.now();
    await using sync = await at.start('--keep-modes', '--upload-limit', '200KiB');
    expect(performance.now() - began).toBeGreaterThan(1500);
    expect(statSync(at.remote('script')).mode & 0o777).toBe(0o600);
    expect(statSync(at.here('script')).mode & 0o777).toBe(0o755);
    expect(await sync.stop()).toBe(0);
  });

  it('runs commands after acknowledged uploads: by glob, once, there and here, with their output', async () => {
    using at = place();
    write(at.here('package.json'), '1');
    const remote = at.remotePath;
    const flags = [
      JSON.stringify({
        name: 'install',
        command: `cat ${remote}/package.json; echo ran >>${remote}.log`,
        onChange: ['package*.json'],
      }),
      JSON.stringify({ name: 'once', command: `echo once >>${remote}.log`, once: true }),
      JSON.stringify({ name: 'here', command: 'echo "$PWD" >>../local.log', local: true }),
      JSON.stringify({
        name: 'bad',
        command: 'sh',
        args: ['-c', 'echo broken >&2; exit 3'],
        onChange: ['bad/**'],
      }),
    ].flatMap((command) => ['--on-upload', command]);
    await using sync = await at.start(...flags);
    const log = () => readFileSync(join(at.root, `${remote}.log`), 'utf8');
    expect(log()).toBe('ran\nonce\n');
    expect(readFileSync(at.scratch('local.log'), 'utf8')).toBe(`${at.local}\n`);
    const commands = () =>
      eventsOf(sync, 'command').map(({ name, where, state, code }) =>
        `${name} ${where} ${state} ${code ?? ''}`.trim(),
      );
    expect(commands()).toEqual([
      'install container started',
      'install container output',
      'install container ended 0',
      'once container started',
      'once container ended 0',
      'here laptop started',
      'here laptop ended 0',
    ]);
    let since = commands().length;
    write(at.here('other'), '1');
    await eventually(() => expect(commands().slice(since)).toContain('here laptop ended 0'));
    expect(commands().slice(since)).toEqual([
      'once container started',
      'once container skipped',
      'here laptop started',
      'here laptop ended 0',
    ]);
    // What the container made is no upload.
    write(at.remote('down'), '1');
    await eventually(() => expect(existsSync(at.here('down'))).toBe(true));
    since = commands().length;
    write(at.here('package.json'), '2');
    await eventually(() => expect(log()).toBe('ran\nonce\nran\n'));
    await eventually(() => expect(commands().slice(since)).toContain('here laptop ended 0'));
    const output = eventsOf(sync, 'command').filter(
      ({ name, state }) => name === 'install' && state === 'output',
    );
    expect(output.map(({ text }) => text)).toEqual(['1', '2']);
    mkdirSync(at.here('bad'));
    write(at.here('bad/x'), '1');
    await eventually(() => expect(commands()).toContain('bad container failed 3'));
    expect(eventsOf(sync, 'command').find(({ state }) => state === 'failed')?.text).toContain('broken');
    expect(await sync.stop()).toBe(0);

    // One that must not fail ends the sync and says why.
    const fatal = JSON.stringify({ name: 'must', command: 'exit 4', failOnError: true });
    write(at.here('again'), '1');
    const run = await at.run('--on-upload', fatal, '--no-watch');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('"code":"sync.command-failed"');
  });

  it('ends commands with all that they started when it ends itself', async () => {
    using at = place();
    write(at.here('a'), '1');
    const remote = at.remotePath;
    await using sync = at.begin('--on-upload', `echo $$ >${remote}.pid; sleep 1000 & wait`);
    await eventually(() => expect(existsSync(join(at.root, `${remote}.pid`))).toBe(true));
    const pid = () => readFileSync(join(at.root, `${remote}.pid`), 'utf8').trim();
    await eventually(() => expect(pid()).not.toBe(''));
    expect(await sync.stop()).toBe(0);
    await eventually(() => expect(existsSync(join(at.root, 'proc', pid()))).toBe(false));
  });

  it('uploads what links lead to only where they are named, finds pods by image and fails at once without one', async () => {
    using at = place();
    write(at.scratch('outside/a'), 'a');
    write(at.scratch('secret/b'), 'b');
    symlinkSync('../outside', at.here('wanted'));
    symlinkSync(at.scratch('secret'), at.here('other'));
    const args = at.arguments(['--follow-links', 'wanted', '--image-selector', 'sandbox/web']);
    const byImage = args.filter((word, index) => word !== '--pod' && args[index - 1] !== '--pod');
    await using sync = at.launch(byImage);
    await sync.ready();
    expect(readFileSync(at.remote('wanted/a'), 'utf8')).toBe('a');
    expect(existsSync(at.remote('other'))).toBe(false);
    const told = eventsOf(sync, 'notice').map(({ message }) => message);
    expect(told.join('\n')).toContain('A link points out of the folder and is not followed: other → ');
    write(at.scratch('outside/c'), 'c');
    await eventually(() => expect(existsSync(at.remote('wanted/c'))).toBe(true));
    expect(await sync.stop()).toBe(0);
    const none = await at.run('--pod', 'none', '--no-wait');
    expect([none.code, none.stdout]).toEqual([1, expect.stringContaining('workload.no-running-pod')]);
  });

  it('lists the trash and undoes a batch without a cluster', async () => {
    using at = place();
    for (const name of ['a', 'b']) write(at.here(name), `old ${name}`);
    await using sync = await at.start();
    write(at.remote('a'), 'new a');
    unlinkSync(at.remote('b'));
    await eventually(() => {
      expect(readFileSync(at.here('a'), 'utf8')).toBe('new a');
      expect(existsSync(at.here('b'))).toBe(false);
    });
    expect(await sync.stop()).toBe(0);
    const offline = { home: at.home, kubeconfig: '/nonexistent' };
    const list = await slipway(offline, 'trash', 'list', '--json', '--pair', at.local);
    const versions = list.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; path: string });
    expect(versions.map(({ path }) => path).sort()).toEqual(['a', 'b']);
    const [first] = versions;
    const to = at.scratch('elsewhere');
    expect((await slipway(offline, 'trash', 'restore', first?.id ?? '', '--to', to)).code).toBe(0);
    expect(readFileSync(join(to, first?.path ?? ''), 'utf8')).toBe(`old ${first?.path ?? ''}`);
    expect((await slipway(offline, 'trash', 'restore', '--since', '10m')).code).toBe(0);
    expect([readFileSync(at.here('a'), 'utf8'), readFileSync(at.here('b'), 'utf8')]).toEqual([
      'old a',
      'old b',
    ]);
    const after = await slipway(offline, 'trash', 'list', '--path', 'a');
    expect(after.stdout.trim().split('\n')).toHaveLength(3);
    expect((await slipway(offline, 'trash', 'restore')).code).toBe(2);
  });
});
