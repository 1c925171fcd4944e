import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, health, held, podsOf, SyncPlace } from '../support/sync-place.ts';
import { treeOf } from '../support/tree-hash.ts';

/** Long enough for anything that should not come to come. */
const quietMs = 1000;
const smallVolume = {
  pod: { volumes: [{ name: 'small', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }] },
  container: { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
};

describe('slipway sync', () => {
  let namespace: Awaited<ReturnType<typeof podsOf>>;
  beforeAll(async () => {
    namespace = await podsOf('e2e-sync', (name) => [
      barePod(name, 'work'),
      barePod(name, 'small', smallVolume),
    ]);
  });
  afterAll(() => namespace[Symbol.asyncDispose]());

  const place = (options: ConstructorParameters<typeof SyncPlace>[2] = {}): SyncPlace =>
    new SyncPlace(namespace.name, 'work', options);
  const same = (at: SyncPlace) => eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)));
  const helperFolders = (at: SyncPlace): string[] =>
    ['tmp', 'dev/shm', 'var/tmp'].flatMap((base) =>
      readdirSync(join(at.root, base)).filter((name) => name.startsWith('.slipway')),
    );
  function write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  it('goes both ways and leaves nothing behind, whichever signal ends it', async () => {
    using at = place();
    write(at.here('mine'), 'local');
    write(at.remote('theirs'), 'remote');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      await using sync = await at.start();
      await same(at);
      expect(helperFolders(at)).toHaveLength(1);
      write(at.here(`up/${signal}`), signal);
      write(at.remote(`down/${signal}`), signal);
      await same(at);
      sync.child.kill(signal);
      expect(await sync.exited).toBe(0);
      expect(sync.events.at(-1)).toMatchObject({ event: 'stopped', remaining: [] });
      expect(helperFolders(at)).toEqual([]);
    }
    expect([...treeOf(at.local).keys()]).toHaveLength(10);
  });

  it('continues where it ended: nothing to do, and what was deleted meanwhile stays deleted', async () => {
    using at = place();
    for (let index = 0; index < 20; index++) write(at.here(`d/f${index}`), `${index}`);
    expect((await at.run('--no-watch')).code).toBe(0);
    const again = await at.run('--no-watch');
    expect([again.code, again.stdout.match(/"event":"sync"/g)]).toEqual([0, null]);
    rmSync(at.here('d/f1'));
    rmSync(at.remote('d/f2'));
    write(at.here('d/f3'), 'edited here');
    write(at.remote('d/f4'), 'edited there');
    await using sync = await at.start();
    await same(at);
    expect(existsSync(at.here('d/f1')) || existsSync(at.here('d/f2'))).toBe(false);
    expect([readFileSync(at.remote('d/f3'), 'utf8'), readFileSync(at.here('d/f4'), 'utf8')]).toEqual([
      'edited here',
      'edited there',
    ]);
    expect(eventsOf(sync, 'sync')).toHaveLength(4);
    expect(await sync.stop()).toBe(0);
  });

  it('ends after the first sync with --no-watch', async () => {
    using at = place();
    write(at.here('a'), 'a');
    write(at.remote('b'), 'b');
    const run = await at.run('--no-watch');
    expect([run.code, run.stderr]).toEqual([0, '']);
    await same(at);
    expect(helperFolders(at)).toEqual([]);
    write(at.here('late'), '');
    await sleep(300);
    expect(readdirSync(at.remote()).sort()).toEqual(['a', 'b']);
  });

  it('starts again after a kill as if nothing had been', async () => {
    using at = place();
    write(at.here('a'), 'a');
    {
      await using first = await at.start();
      write(at.here('big'), Buffer.alloc(40_000_000, 1));
      await sleep(120);
      first.child.kill('SIGKILL');
    }
    write(at.here('a'), 'edited while dead');
    write(at.remote('b'), 'made while dead');
    await using second = await at.start();
    await same(at);
    expect([...treeOf(at.local).keys()].sort()).toEqual(['a', 'b', 'big']);
    expect(readdirSync(at.remote()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(await second.stop()).toBe(0);
    expect(helperFolders(at)).toEqual([]);
  });

  it('refuses a pair that another process has, and leaves that one alone', async () => {
    using at = place();
    await using first = await at.start();
    const second = await at.run();
    expect(second.code).toBe(1);
    const [error] = second.stdout.split('\n').filter((line) => line.includes('"event":"error"'));
    expect(JSON.parse(error ?? '')).toMatchObject({ code: 'sync.pair-in-use' });
    expect(error).toContain(String(first.child.pid));
    write(at.here('a'), 'still');
    await same(at);
    expect(await first.stop()).toBe(0);
    expect((await at.run('--no-watch')).code).toBe(0);
  });

  it('pauses while the container has no space, and goes on when it has', async () => {
    using at = new SyncPlace(namespace.name, 'small', { remotePath: '/small/app' });
    expect(statfsSync(at.remote()).blocks * statfsSync(at.remote()).bsize).toBe(1024 * 1024);
    write(at.here('old'), 'old content');
    await using sync = await at.start();
    await same(at);
    const since = sync.events.length;
    write(at.here('old'), Buffer.alloc(3_000_000, 2));
    const { state } = await health(sync, /no space left/, since);
    expect(state).toBe('paused');
    expect(readFileSync(at.remote('old'), 'utf8')).toBe('old content');
    write(at.here('small'), 'fits');
    await eventually(() => expect(readFileSync(at.remote('small'), 'utf8')).toBe('fits'), 5000);
    write(at.here('old'), Buffer.alloc(300_000, 3));
    // What was refused is tried again after a pause that grows.
    await eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)), 60_000);
    await health(sync, /^in sync$/, since);

    write(join(at.root, 'small/other'), Buffer.alloc(600_000));
    write(at.here('second'), Buffer.alloc(400_000, 4));
    await health(sync, /no space left for second/, since);
    rmSync(join(at.root, 'small/other'));
    await eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)), 60_000);
    await eventually(() => expect(eventsOf(sync, 'health').at(-1)?.message).toBe('in sync'), 60_000);
    expect(await sync.stop()).toBe(0);
  });

  it('lets go of what it holds when the deleted files come back, also with other content', async () => {
    using at = place();
    const write150 = (content: string): void => {
      for (let index = 0; index < 150; index++) write(at.here(`many/f${index}`), content);
    };
    write150('old');
    write(at.here('kept'), '');
    await using sync = await at.start();
    rmSync(at.here('many'), { recursive: true });
    await held(sync);
    let since = sync.events.length;
    write(at.here('many/f7'), 'new');
    await eventually(() => expect(readFileSync(at.remote('many/f7'), 'utf8')).toBe('new'));
    await health(sync, /^in sync except 1 held$/, since);
    expect(readdirSync(at.remote('many'))).toHaveLength(150);
    since = sync.events.length;
    write150('newer');
    await health(sync, /^in sync$/, since);
    await same(at);
    expect(await sync.stop()).toBe(0);
  });

  for (const [name, lose] of [
    ['in the container', (at: SyncPlace) => rmSync(at.remote('many'), { recursive: true })],
    ['on this machine', (at: SyncPlace) => rmSync(at.here('many'), { recursive: true })],
  ] as const) {
    it(`holds a mass deletion ${name}, or applies it with --no-brake`, async () => {
      using at = place();
      for (let index = 0; index < 150; index++) write(at.here(`many/f${index}`), `${index}`);
      write(at.here('kept'), '');
      {
        await using sync = await at.start();
        lose(at);
        const event = await held(sync);
        expect(event).toMatchObject({
          reason: expect.stringMatching(/150/) as string,
          choices: ['apply', 'restore', 'leave'],
        });
        await sleep(quietMs);
        const counts = [at.here('many'), at.remote('many')].map((path) =>
          existsSync(path) ? readdirSync(path).length : 0,
        );
        expect(counts.sort()).toEqual([0, 150]);
        expect(await sync.stop()).toBe(0);
      }
      await using free = await at.start('--no-brake');
      await eventually(() =>
        expect([at.here(), at.remote()].map((path) => readdirSync(path))).toEqual([['kept'], ['kept']]),
      );
      expect(eventsOf(free, 'held')).toEqual([]);
      expect(await free.stop()).toBe(0);
    });
  }

  it('holds what this machine would execute, and makes no link that leads out', async () => {
    using at = place();
    write(at.here('a'), 'a');
    await using sync = await at.start();
    write(at.remote('.git/hooks/pre-commit'), '#!/bin/sh\ntouch /tmp/owned\n');
    write(at.remote('.envrc'), 'touch /tmp/owned');
    await eventually(() =>
      expect(
        eventsOf(sync, 'held')
          .flatMap(({ paths }) => paths)
          .sort(),
      ).toEqual(['.envrc', '.git/hooks/pre-commit']),
    );
    symlinkSync('/etc/passwd', at.remote('absolute'));
    symlinkSync('../../../../etc/passwd', at.remote('climbing'));
    symlinkSync('a', at.remote('inside'));
    await eventually(() => expect(lstatSync(at.here('inside')).isSymbolicLink()).toBe(true));
    for (const name of ['absolute', 'climbing']) {
      await eventually(() =>
        expect(
          eventsOf(sync, 'notice')
            .map(({ message }) => message)
            .join('\n'),
        ).toContain(name),
      );
    }
    await sleep(quietMs);
    expect(
      readdirSync(at.local)
        .filter((name) => name !== '.git')
        .sort(),
    ).toEqual(['a', 'inside']);
    expect(existsSync(at.here('.git/hooks/pre-commit'))).toBe(false);
    expect(await sync.stop()).toBe(0);
  });
});
