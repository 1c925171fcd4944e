import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { connectHelper } from '../helper/attach.ts';
import { WriteMode } from '../helper/gen/slipway/helper/v1/helper.ts';
import { localExec } from '../helper/testing/local-exec.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import type { OpenPair, OpenPairOptions } from './open-pair.ts';
import { openPair } from './open-pair.ts';
import type { SyncEvent } from './sync-event.ts';

const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';
const binary = fileURLToPath(
  new URL(`../../assets/helper/slipway-helper-linux-${architecture}`, import.meta.url),
);

/** The whole pair with the real helper, which runs here as a process instead of in a container. */
describe.skipIf(process.platform !== 'linux' || !existsSync(binary))('a pair with the real helper', () => {
  let base: string;
  let pair: OpenPair | undefined;
  let events: SyncEvent[];
  let kube = localExec();
  let container: string;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'slipway-pair-'));
    mkdirSync(join(base, 'p'));
    mkdirSync(join(base, 'r'));
    mkdirSync(join(base, '.slipway-test'));
    copyFileSync(binary, join(base, '.slipway-test', 'helper'));
    chmodSync(join(base, '.slipway-test', 'helper'), 0o700);
    kube = localExec();
    events = [];
    container = 'first';
  });
  afterEach(async () => {
    await pair?.[Symbol.asyncDispose]();
    pair = undefined;
    rmSync(base, { recursive: true, force: true });
  });

  const local = (path: string): string => join(base, 'p', path);
  const remote = (path: string): string => join(base, 'r', path);
  const read = (path: string): string | undefined =>
    existsSync(path) ? readFileSync(path, 'utf8') : undefined;

  async function start(
    more: Partial<OpenPairOptions> = {},
    paths = { local: local(''), remote: remote('') },
  ): Promise<OpenPair> {
    pair = await openPair({
      identity: {
        cluster: 'test',
        namespace: 'n',
        target: 'pod/box',
        container: 'main',
        remotePath: paths.remote.replace(/\/$/, ''),
        localPath: paths.local,
      },
      home: join(base, 'home'),
      files: diskAncestorFiles,
      clock: systemClock,
      strategy: 'preferLocal',
      connect: async ({ root, singleName, rules, epoch }, signal) => ({
        container,
        connection: await connectHelper({
          kube,
          target: { namespace: 'n', pod: 'box' },
          helperPath: join(base, '.slipway-test', 'helper'),
          pair: 'app',
          root,
          createRoot: true,
          singleName,
          writeMode: WriteMode.WRITE_MODE_AUTO,
          rules,
          poll: false,
          epoch,
          trashCapBytes: 64 * 1024 * 1024,
          signal,
        }),
      }),
      ...more,
    });
    pair.engine.onEvent((event) => events.push(event));
    await pair.engine.inSync();
    return pair;
  }

  async function eventually(check: () => void, limitMs = 15_000): Promise<void> {
    const end = performance.now() + limitMs;
    for (;;) {
      try {
        return check();
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    }
  }

  it('carries edits both ways in well under 200 ms', async () => {
    writeFileSync(local('mine'), 'mine');
    writeFileSync(remote('theirs'), 'theirs');
    await start();
    expect([read(remote('mine')), read(local('theirs'))]).toEqual(['mine', 'theirs']);
    const times: number[] = [];
    for (let index = 0; index < 60; index++) {
      const [from, to] = index % 2 === 0 ? [local('e'), remote('e')] : [remote('e'), local('e')];
      const began = performance.now();
      writeFileSync(from, `edit ${index} ${'y'.repeat(4000)}`);
      await eventually(() => expect(read(to)?.startsWith(`edit ${index} `)).toBe(true));
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    expect(times[57]).toBeLessThan(200);
  });

  it('comes back after a killed helper and loses no edit', async () => {
    await start();
    for (let index = 0; index < 5; index++) {
      writeFileSync(local(`f${index}`), `before ${index}`);
      const { pid } = kube.processes.at(-1) ?? {};
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      writeFileSync(local(`g${index}`), `after ${index}`);
      writeFileSync(remote(`h${index}`), `there ${index}`);
      await eventually(() =>
        expect([read(remote(`f${index}`)), read(remote(`g${index}`))]).toEqual([
          `before ${index}`,
          `after ${index}`,
        ]),
      );
      await eventually(() => expect(read(local(`h${index}`))).toBe(`there ${index}`));
    }
    expect(readdirSync(remote('')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }, 60_000);

  it('moves a folder, sends 2,000 files and deletes them', async () => {
    mkdirSync(local('from'));
    for (let index = 0; index < 2000; index++)
      writeFileSync(local(`from/f${index}`), `content ${index} `.repeat(20));
    await start({ brake: { enabled: false } });
    expect(readdirSync(remote('from')).length).toBe(2000);
    events = [];
    renameSync(local('from'), local('to'));
    await eventually(() =>
      expect([
        existsSync(remote('from')),
        existsSync(remote('to')) && readdirSync(remote('to')).length,
      ]).toEqual([false, 2000]),
    );
    expect(events.reduce((sum, event) => sum + (event.kind === 'file' ? event.bytes : 0), 0)).toBe(0);
    rmSync(local('to'), { recursive: true });
    await eventually(() => expect(readdirSync(remote(''))).toEqual([]));
  }, 60_000);

  it('sends and fetches big files whole', async () => {
    await start();
    const content = Buffer.alloc(9 * 1024 * 1024 + 17);
    for (let index = 0; index < content.length; index++) content[index] = (index * 31 + (index >> 8)) & 255;
    writeFileSync(local('up'), content);
    writeFileSync(remote('down'), content);
    await eventually(() =>
      expect(existsSync(remote('up')) && readFileSync(remote('up')).equals(content)).toBe(true),
    );
    await eventually(() =>
      expect(existsSync(local('down')) && readFileSync(local('down')).equals(content)).toBe(true),
    );
  });

  /** Content that no other place of it is like. */
  function noise(seed: number, length: number): Buffer {
    let state = (seed * 2654435761) | 1;
    const words = new Int32Array(Math.ceil(length / 4));
    for (let index = 0; index < words.length; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      words[index] = state;
    }
    return Buffer.from(words.buffer).subarray(0, length);
  }

  const moved = (): number[] =>
    events.flatMap((event) => (event.kind === 'file' && event.path === 'big' ? [event.bytes] : []));

  it('moves only what changed in a big file, both ways', async () => {
    const first = noise(1, 12 * 1024 * 1024 + 333);
    writeFileSync(local('big'), first);
    await start();
    const edited = Buffer.from(first);
    noise(2, 4096).copy(edited, 6_000_000);
    const versions = [
      edited,
      Buffer.concat([edited, noise(3, 5000)]),
      Buffer.concat([noise(4, 300_001), edited]),
      Buffer.concat([edited.subarray(0, 2_000_000), edited.subarray(2_500_000)]),
      first,
    ];
    const most = [40_000, 40_000, 360_000, 340_000, 560_000];
    for (const [from, to] of [
      [local('big'), remote('big')],
      [remote('big'), local('big')],
    ] as const) {
      for (const [index, version] of versions.entries()) {
        events = [];
        // A file that is seen half written travels more than once.
        writeFileSync(join(base, 'new'), version);
        renameSync(join(base, 'new'), from);
        await eventually(() => expect(moved()).toHaveLength(1));
        expect(readFileSync(to).equals(version)).toBe(true);
        expect(moved()[0]).toBeLessThan(most[index] ?? 0);
        await pair?.engine.inSync();
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(readdirSync(local('')).concat(readdirSync(remote('')))).toEqual(['big', 'big']);
  }, 120_000);

  it('sends and fetches an edit ahead of a big file, within the bandwidth that is allowed', async () => {
    writeFileSync(local('edit'), 'before');
    await start({ limits: { upBytesPerSecond: 1_000_000, downBytesPerSecond: 1_000_000 } });
    for (const [from, to] of [
      [local, remote],
      [remote, local],
    ] as const) {
      const name = from === local ? 'up' : 'down';
      const began = performance.now();
      writeFileSync(from(name), noise(5, 5_000_000));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      writeFileSync(from('edit'), `edit while ${name}`);
      await eventually(() => expect(read(to('edit'))).toBe(`edit while ${name}`));
      expect(existsSync(to(name))).toBe(false);
      await eventually(() => expect(existsSync(to(name))).toBe(true), 30_000);
      // A tenth of a second may be ahead, and what is under way beside it.
      expect(performance.now() - began).toBeGreaterThan(4000);
    }
  }, 120_000);

  it('takes a single file under another name', async () => {
    writeFileSync(local('a.ini'), 'one');
    writeFileSync(local('other'), 'no');
    await start({}, { local: local('a.ini'), remote: remote('etc/b.ini') });
    expect(readdirSync(remote('etc'))).toEqual(['b.ini']);
    writeFileSync(local('a.ini'), 'two');
    await eventually(() => expect(read(remote('etc/b.ini'))).toBe('two'));
    writeFileSync(remote('etc/c'), 'no');
    writeFileSync(remote('etc/b.ini'), 'three');
    await eventually(() => expect(read(local('a.ini'))).toBe('three'));
    expect(existsSync(local('c'))).toBe(false);
  });

  it('lets local edits win over the old files of a new container', async () => {
    writeFileSync(remote('a'), 'old');
    writeFileSync(remote('b'), 'old');
    const first = await start();
    writeFileSync(local('a'), 'edited');
    await eventually(() => expect(read(remote('a'))).toBe('edited'));
    await first[Symbol.asyncDispose]();
    writeFileSync(remote('a'), 'old');
    writeFileSync(local('b'), 'edited too');
    writeFileSync(local('new'), 'new');
    container = 'second';
    events = [];
    await start({ strategy: 'preferRemote' });
    expect(['a', 'b', 'new'].map((name) => read(remote(name)))).toEqual(['edited', 'edited too', 'new']);
    expect(events.filter((event) => event.kind === 'file' && event.direction === 'down')).toEqual([]);
  });

  it('refuses a second process on the same pair', async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({ code: 'sync.pair-in-use' });
    pair = first;
  });

  it('names what comes up in the container under a name that cannot travel', async () => {
    await start();
    writeFileSync(Buffer.concat([Buffer.from(remote('bad')), Buffer.from([0xff])]), 'bad');
    writeFileSync(remote('looks \uFFFD bad'), 'bad');
    await eventually(() => {
      const problems = events.flatMap((event) => (event.kind === 'problem' ? [event.problem] : []));
      expect(problems.map(({ message }) => message)).toEqual([
        expect.stringMatching(/not valid UTF-8/),
        expect.stringMatching(/not valid UTF-8/),
      ]);
    });
    writeFileSync(remote('good'), 'good');
    await eventually(() => expect(read(local('good'))).toBe('good'));
    rmSync(remote('looks \uFFFD bad'));
    await eventually(() => expect(pair?.engine.state).toEqual({ kind: 'in-sync', held: 1 }));
  });

  it('keeps excluded paths out of both directions, also as children of a deleted folder', async () => {
    mkdirSync(local('d'));
    writeFileSync(local('d/x'), '1');
    mkdirSync(remote('d'));
    writeFileSync(remote('d/keep.log'), 'log');
    await start({ exclude: ['*.log', '*,cover'] });
    writeFileSync(remote('t.txt'), '1');
    writeFileSync(remote('a,cover'), '2');
    await eventually(() => expect(read(local('t.txt'))).toBe('1'));
    rmSync(local('d'), { recursive: true });
    await eventually(() => expect(readdirSync(remote('d'))).toEqual(['keep.log']));
    await pair?.engine.inSync();
    expect([existsSync(local('a,cover')), existsSync(local('d'))]).toEqual([false, false]);
  });
});
