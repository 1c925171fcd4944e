import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { kubeconfigWith, serviceAccount, testServer } from '../support/service-account.ts';
import { slipway } from '../support/slipway.ts';
import { barePod, eventsOf, health, held, podsOf, SyncPlace } from '../support/sync-place.ts';
import { treeOf } from '../support/tree-hash.ts';

/** Long enough for anything that should not come to come. */
const quietMs = 1500;

describe('a pair keeps', () => {
  let namespace: Awaited<ReturnType<typeof podsOf>>;
  beforeAll(async () => {
    namespace = await podsOf('e2e-cases', (name) => [
      barePod(name, 'work', { containers: ['main', 'other'] }),
    ]);
  });
  afterAll(() => namespace[Symbol.asyncDispose]());

  const place = (options: ConstructorParameters<typeof SyncPlace>[2] = {}): SyncPlace =>
    new SyncPlace(namespace.name, 'work', options);
  const same = (at: SyncPlace, timeoutMs = 15_000) =>
    eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)), timeoutMs);
  function write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  it('names of any bytes that a shell would take apart, in a folder with spaces', async () => {
    using at = place({ local: 'My Proj/p' });
    const names = [
      'a b',
      'foo  (98).jpg',
      'b`id`.txt',
      'q"u.txt',
      '-rf',
      '$HOME',
      'nl\nx',
      'tab\t',
      "it's",
      '*',
    ];
    for (const name of names) write(at.here(name), name);
    await using sync = await at.start();
    expect(readdirSync(at.remote()).sort()).toEqual([...names].sort());
    await same(at);
    for (const name of names.slice(1)) rmSync(at.here(name));
    await eventually(() => expect(readdirSync(at.remote())).toEqual(['a b']));
    rmSync(at.here('a b'));
    await eventually(() => expect(readdirSync(at.remote())).toEqual([]));
    for (const name of names) write(at.remote(name), `${name}2`);
    await same(at);
    for (const name of names.slice(1)) rmSync(at.remote(name));
    await eventually(() => expect(readdirSync(at.local)).toEqual(['a b']));
    await sleep(quietMs);
    expect([readdirSync(at.local), readdirSync(at.remote())]).toEqual([['a b'], ['a b']]);
    expect(await sync.stop()).toBe(0);
  });

  it('one single file under another name, and refuses a path with a colon', async () => {
    using at = place();
    write(at.here('a.ini'), 'one');
    write(at.here('secret.ini'), 'stays');
    const target = `${at.remotePath}/etc/b.ini`;
    await using sync = at.launch(at.arguments([], [`${at.here('a.ini')}:${target}`]));
    await sync.ready();
    expect(readdirSync(at.remote('etc'))).toEqual(['b.ini']);
    expect(readFileSync(at.remote('etc/b.ini'), 'utf8')).toBe('one');
    write(at.here('a.ini'), 'two');
    await eventually(() => expect(readFileSync(at.remote('etc/b.ini'), 'utf8')).toBe('two'));
    write(at.remote('etc/b.ini'), 'three');
    write(at.remote('etc/c.ini'), 'not ours');
    await eventually(() => expect(readFileSync(at.here('a.ini'), 'utf8')).toBe('three'));
    await sleep(300);
    expect(readdirSync(at.local).sort()).toEqual(['a.ini', 'secret.ini']);
    expect(readdirSync(at.remote('etc')).sort()).toEqual(['b.ini', 'c.ini']);

    mkdirSync(at.here('x:y'));
    const refused = await slipway({ home: at.home }, ...at.arguments([], [`${at.here('x:y')}:/app`]));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/more than one colon/)]);
  });

  it('everything local when the folder in the container is emptied, moved away, or its helper dies', async () => {
    using at = place();
    for (let index = 0; index < 500; index++) write(at.here(`d${index % 20}/f${index}`), `content ${index}`);
    const before = treeOf(at.local);
    await using sync = await at.start();
    await same(at);

    let since = sync.events.length;
    renameSync(at.remote(), `${at.remote()}.away`);
    await health(sync, /moved, removed or replaced/, since);
    writeFileSync(at.here('meanwhile'), 'new');
    await sleep(quietMs);
    expect([existsSync(at.remote()), existsSync(`${at.remote()}.away/meanwhile`)]).toEqual([false, false]);
    rmSync(at.here('meanwhile'));
    expect(treeOf(at.local)).toEqual(before);
    writeFileSync(at.here('meanwhile'), 'new');
    since = sync.events.length;
    renameSync(`${at.remote()}.away`, at.remote());
    await health(sync, /^in sync$/, since);
    await eventually(() => expect(readFileSync(at.remote('meanwhile'), 'utf8')).toBe('new'));
    rmSync(at.here('meanwhile'));
    await same(at);

    for (let round = 0; round < 3; round++) {
      for (const pid of helperProcesses(at)) process.kill(pid, 'SIGKILL');
      await sleep(100 * round);
    }
    write(at.here('d0/f0'), 'after the kill');
    await same(at);

    since = sync.events.length;
    execFileSync('sh', ['-c', 'rm -rf "$1" && mkdir "$1"', 'sh', at.remote()]);
    await eventually(() =>
      expect(eventsOf(sync, 'held', since).length + treeOf(at.remote()).size).not.toBe(0),
    );
    await sleep(quietMs);
    const files = [...treeOf(at.local).values()].filter((what) => what.startsWith('file'));
    expect(files).toHaveLength(500);
    expect(eventsOf(sync, 'sync').filter(({ direction }) => direction === 'down')).toEqual([]);
    expect(await sync.stop()).toBe(0);
  });

  it('both sides at a first sync, and names what a mirror will delete', async () => {
    using at = place();
    write(at.remote('vendor/v.php'), 'v');
    write(at.here('a.php'), 'a');
    expect((await at.run('--no-watch')).code).toBe(0);
    await same(at);
    expect([...treeOf(at.local).keys()].sort()).toEqual(['a.php', 'vendor', 'vendor/v.php']);

    using mirrored = place();
    write(mirrored.remote('vendor/v.php'), 'v');
    write(mirrored.here('a.php'), 'a');
    await using sync = await mirrored.start('--initial-sync', 'mirrorLocal');
    expect(readdirSync(mirrored.remote())).toEqual(['a.php']);
    const said = sync.events.findIndex(
      (event) =>
        event.event === 'notice' &&
        /only in the container will be deleted there: .*vendor\/v.php/.test(event.message),
    );
    const done = sync.events.findIndex((event) => event.event === 'sync' && event.action === 'delete');
    expect([said > -1, done > said]).toEqual([true, true]);
    expect(mirrored.trashed()).toEqual(['v']);
    expect(await sync.stop()).toBe(0);
  });

  it('to a branch when it is switched again and again', async () => {
    using at = place();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: at.local,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    for (let index = 0; index < 1200; index++)
      write(at.here(`src/m${index % 40}/f${index}`), `main ${index}`);
    git('add', '.');
    git('commit', '-qm', 'main');
    git('checkout', '-qb', 'a');
    for (let index = 0; index < 1000; index++) write(at.here(`more/d${index % 100}/f${index}`), `a ${index}`);
    git('add', '.');
    git('commit', '-qm', 'a');
    await using sync = await at.start('--exclude', '.git');
    for (const branch of ['main', 'a', 'main', 'a', 'main']) {
      git('checkout', '-q', branch);
      await sleep(branch === 'a' ? 150 : 900);
    }
    const tracked = git('ls-files', '-z').split('\0').filter(Boolean).sort();
    const filesOf = (root: string): string[] =>
      [...treeOf(root)]
        .filter(([path, what]) => what.startsWith('file') && !path.startsWith('.git/'))
        .map(([path]) => path)
        .sort();
    await eventually(() => expect(filesOf(at.remote())).toEqual(tracked));
    await sleep(quietMs);
    expect(git('status', '--porcelain')).toBe('');
    expect(filesOf(at.remote())).toEqual(tracked);
    expect(eventsOf(sync, 'held')).toEqual([]);
    expect(await sync.stop()).toBe(0);
  });

  it('both versions when both sides change a file while they cannot talk', async () => {
    await using proxy = await startRecordingProxy(testServer());
    const scratch = mkdtempSync(join(tmpdir(), 'slipway-kube-'));
    const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['*'] }];
    const account = await serviceAccount({ namespace: namespace.name, name: 'dev', rules, folder: scratch });
    const kubeconfig = kubeconfigWith(account, join(scratch, 'config'), (config) => {
      for (const { cluster } of config.clusters) {
        delete cluster['certificate-authority-data'];
        cluster['server'] = proxy.address;
        cluster['insecure-skip-tls-verify'] = true;
      }
    });
    using at = place({ kubeconfig });
    write(at.here('c'), 'old');
    await using sync = await at.start();
    const since = sync.events.length;
    proxy.cut(true);
    write(at.here('c'), 'L');
    write(at.remote('c'), 'R');
    await health(sync, /^connecting, attempt/, since);
    proxy.cut(false);
    await eventually(() => expect(readFileSync(at.remote('c'), 'utf8')).toBe('L'), 30_000);
    const conflict = await sync.waitFor((event) => event.event === 'conflict', { since });
    expect(conflict).toMatchObject({ path: 'c', winner: 'local' });
    expect(readFileSync(at.here('c'), 'utf8')).toBe('L');
    expect(at.trashed()).toEqual(['R']);
    expect(await sync.stop()).toBe(0);
    rmSync(scratch, { recursive: true });
  });

  it('times below the second, so that a restart finds nothing to do, and both of two quick edits', async () => {
    using at = place();
    write(at.here('t'), 't');
    execFileSync('touch', ['-d', '2024-01-01 00:00:00.123456789', at.here('t')]);
    write(at.remote('r'), 'r');
    execFileSync('touch', ['-d', '2024-01-01 00:00:00.987654321', at.remote('r')]);
    for (let index = 0; index < 200; index++) write(at.here(`empty${index}`), '');
    expect((await at.run('--no-watch')).code).toBe(0);
    const mtime = (path: string): bigint => statSync(path, { bigint: true }).mtimeNs / 1000n;
    expect([mtime(at.remote('t')), mtime(at.here('r'))]).toEqual([1704067200123456n, 1704067200987654n]);
    await using sync = await at.start();
    expect(eventsOf(sync, 'sync')).toEqual([]);
    write(at.here('u'), '1');
    await sleep(200);
    write(at.here('u'), '2');
    await eventually(() => expect(readFileSync(at.remote('u'), 'utf8')).toBe('2'));
    expect(await sync.stop()).toBe(0);
  });

  it('its hands off files whose times lie in the future', async () => {
    using at = place();
    write(at.here('a'), 'laptop');
    write(at.remote('a'), 'container');
    write(at.remote('only'), 'container');
    const tomorrow = Date.now() / 1000 + 86_400;
    for (const name of ['a', 'only']) utimesSync(at.remote(name), tomorrow, tomorrow);
    await using sync = await at.start('--initial-sync', 'preferNewest');
    const { reason, paths } = (await held(sync)) as { reason: string; paths: readonly string[] };
    expect([reason, paths]).toEqual([expect.stringMatching(/clock/), ['a']]);
    write(at.here('b'), 'up');
    write(at.remote('c'), 'down');
    write(at.remote('only'), 'edited');
    utimesSync(at.remote('only'), tomorrow, tomorrow);
    await eventually(() => {
      expect(readFileSync(at.remote('b'), 'utf8')).toBe('up');
      expect(readFileSync(at.here('c'), 'utf8')).toBe('down');
      expect(readFileSync(at.here('only'), 'utf8')).toBe('edited');
    });
    write(at.here('only'), 'edited back');
    await eventually(() => expect(readFileSync(at.remote('only'), 'utf8')).toBe('edited back'));
    expect([readFileSync(at.here('a'), 'utf8'), readFileSync(at.remote('a'), 'utf8')]).toEqual([
      'laptop',
      'container',
    ]);
    expect(await sync.stop()).toBe(0);
  });
});

/** The helpers that work for a pair now. */
function helperProcesses(at: SyncPlace): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/.slipway-') &&
          statSync(`/proc/${pid}/root/`).ino === statSync(`${at.root}/`).ino &&
          statSync(`/proc/${pid}/root/`).dev === statSync(`${at.root}/`).dev
        );
      } catch {
        return false;
      }
    });
}
