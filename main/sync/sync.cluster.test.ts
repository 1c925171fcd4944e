import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { folderAssets } from '../helper/assets.ts';
import { connectHelper } from '../helper/attach.ts';
import { WriteMode } from '../helper/gen/slipway/helper/v1/helper.ts';
import { injectHelper } from '../helper/inject.ts';
import { inPod, startPod, type TestPod } from '../helper/testing/cluster.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import type { OpenPair, OpenPairOptions } from './open-pair.ts';
import { openPair } from './open-pair.ts';
import type { SyncEvent } from './sync-event.ts';

const assets = folderAssets(fileURLToPath(new URL('../../assets/helper', import.meta.url)));

describe('a pair with a container', () => {
  let pod: TestPod;
  let base: string;
  let pair: OpenPair | undefined;
  let remoteRoot: string;
  let events: SyncEvent[] = [];
  let containerId = 'first';
  let count = 0;
  beforeAll(async () => {
    pod = await startPod('sandbox/web:1');
  });
  afterAll(async () => pod?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'slipway-sync-'));
    mkdirSync(join(base, 'p'));
    remoteRoot = `/work${count++}`;
    containerId = 'first';
    await inPod(pod, `mkdir ${remoteRoot}`);
    events = [];
  });
  afterEach(async () => {
    await pair?.[Symbol.asyncDispose]();
    pair = undefined;
    rmSync(base, { recursive: true, force: true });
  });

  const local = (path: string): string => join(base, 'p', path);

  async function start(more: Partial<OpenPairOptions> = {}): Promise<OpenPair> {
    pair = await openPair({
      identity: {
        cluster: 'test',
        namespace: pod.target.namespace,
        target: 'pod/box',
        container: 'main',
        remotePath: remoteRoot,
        localPath: local(''),
      },
      home: join(base, 'home'),
      files: diskAncestorFiles,
      clock: systemClock,
      strategy: 'preferLocal',
      connect: async ({ root, singleName, rules, epoch }, signal) => {
        const helper = await injectHelper({
          kube: pod.kube,
          target: pod.target,
          session: 'sync-test',
          assets,
          signal,
        });
        const connection = await connectHelper({
          kube: pod.kube,
          target: pod.target,
          helperPath: helper.path,
          pair: `sy${count}`,
          root,
          createRoot: true,
          singleName,
          writeMode: WriteMode.WRITE_MODE_AUTO,
          rules,
          poll: false,
          epoch,
          trashCapBytes: 64 * 1024 * 1024,
          signal,
        });
        return { connection, container: containerId };
      },
      ...more,
    });
    pair.engine.onEvent((event) => events.push(event));
    await pair.engine.inSync();
    return pair;
  }

  /** Resolves with the milliseconds until an event about the path comes. */
  function eventFor(path: string, direction: 'up' | 'down'): Promise<number> {
    const began = performance.now();
    return new Promise((resolve) => {
      const subscription = pair?.engine.onEvent((event) => {
        if (event.kind !== 'file' || event.path !== path || event.direction !== direction) return;
        subscription?.[Symbol.dispose]();
        resolve(performance.now() - began);
      });
    });
  }

  async function eventually(check: () => void | Promise<void>, limitMs = 10_000): Promise<void> {
    const end = performance.now() + limitMs;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
  }

  it('moves only what changed in a big file, both ways', async () => {
    const size = 64 * 1024 * 1024;
    writeFileSync(local('big'), randomBytes(size));
    await start();
    const digestHere = (): string =>
      createHash('sha256')
        .update(readFileSync(local('big')))
        .digest('hex');
    const digestThere = (): Promise<string> =>
      inPod(pod, `sha256sum ${remoteRoot}/big | cut -c1-64`).then((text) => text.trim());
    const bytesOf = (): number[] =>
      events.flatMap((event) => (event.kind === 'file' && event.path === 'big' ? [event.bytes] : []));
    for (const [direction, most] of [
      ['up', 40_000],
      ['down', 40_000],
    ] as const) {
      events = [];
      const arrived = eventFor('big', direction);
      if (direction === 'up') {
        const file = openSync(local('big'), 'r+');
        writeSync(file, randomBytes(4096), 0, 4096, size / 2 + 1234);
        closeSync(file);
      } else {
        await inPod(
          pod,
          `dd if=/dev/urandom of=${remoteRoot}/big bs=4096 count=1 seek=5000 conv=notrunc 2>/dev/null`,
        );
      }
      await arrived;
      expect(bytesOf()).toHaveLength(1);
      expect(bytesOf()[0]).toBeLessThan(most);
      expect(await digestThere()).toBe(digestHere());
      await pair?.engine.inSync();
    }
  }, 120_000);

  it('merges both sides at the first start and sends edits both ways fast', async () => {
    writeFileSync(local('mine'), 'mine');
    await inPod(pod, `echo theirs >${remoteRoot}/theirs`);
    await start();
    expect(readFileSync(local('theirs'), 'utf8')).toBe('theirs\n');
    expect(await inPod(pod, `cat ${remoteRoot}/mine`)).toBe('mine');
    const ups: number[] = [];
    for (let index = 0; index < 50; index++) {
      const arrived = eventFor('edited', 'up');
      writeFileSync(local('edited'), `edit ${index} `.repeat(400));
      ups.push(await arrived);
    }
    ups.sort((a, b) => a - b);
    // The median: a single slow one says more about the machine than about the sync.
    expect(ups[25]).toBeLessThan(200);
    expect(await inPod(pod, `head -c 8 ${remoteRoot}/edited`)).toBe('edit 49 ');
    const downs: number[] = [];
    const stop = pair?.engine.onEvent((event) => {
      if (event.kind === 'file' && event.direction === 'down' && event.path === 'made')
        downs.push(Date.now());
    });
    // The container's clock is this machine's, and its file times have nanoseconds.
    for (let index = 0; index < 10; index++)
      await inPod(pod, `echo ${index} >${remoteRoot}/made; stat -c %Y ${remoteRoot}/made`);
    await eventually(() => expect(readFileSync(local('made'), 'utf8')).toBe('9\n'));
    stop?.[Symbol.dispose]();
    expect(downs.length).toBe(10);
  });

  it('keeps odd names byte for byte, and deletes them again', async () => {
    const names = ['a b', 'foo  (98).jpg', 'b`id`.txt', 'q"u.txt', '-rf', '$HOME', 'nl\nx', 'tab\t', 'é日'];
    for (const name of names) writeFileSync(local(name), name);
    await start();
    const listed = await inPod(pod, `cd ${remoteRoot} && find . -type f -print0 | sort -z`);
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(`./${a}`), Buffer.from(`./${b}`)));
    expect(listed.split('\0').slice(0, -1)).toEqual(sorted.map((name) => `./${name}`));
    for (const name of names) rmSync(local(name));
    await eventually(async () => expect(await inPod(pod, `ls -A ${remoteRoot}`)).toBe(''));
    expect(names.filter((name) => existsSync(local(name)))).toEqual([]);
  });

  it('sends a big file whole and a small edit ahead of it', async () => {
    await start();
    const big = Buffer.alloc(96 * 1024 * 1024);
    for (let index = 0; index < big.length; index += 4096)
      big.writeUInt32LE((index * 2654435761) % 4294967296, index);
    writeFileSync(local('big'), big);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const small = eventFor('small', 'up');
    const whole = eventFor('big', 'up');
    writeFileSync(local('small'), 'small');
    expect(await small).toBeLessThan(1000);
    await whole;
    const digest = createHash('sha256').update(big).digest('hex');
    expect(await inPod(pod, `sha256sum <${remoteRoot}/big`)).toContain(digest);
    rmSync(local('big'));
    await eventually(async () => expect(await inPod(pod, `ls ${remoteRoot}`)).toBe('small\n'));
  }, 120_000);

  it('moves a folder without sending it again', async () => {
    mkdirSync(local('from'));
    for (let index = 0; index < 200; index++)
      writeFileSync(local(`from/f${index}`), `content ${index} `.repeat(100));
    await start();
    events = [];
    renameSync(local('from'), local('to'));
    await eventually(async () =>
      expect(await inPod(pod, `ls ${remoteRoot}; ls ${remoteRoot}/to | wc -l`)).toBe('to\n200\n'),
    );
    const sent = events.reduce((sum, event) => sum + (event.kind === 'file' ? event.bytes : 0), 0);
    expect(sent).toBe(0);
  });

  it('lets local edits win over the old files of a new container, and loses none', async () => {
    await inPod(
      pod,
      `mkdir ${remoteRoot}/image && echo old >${remoteRoot}/image/a && echo old >${remoteRoot}/image/b`,
    );
    await start();
    writeFileSync(local('image/a'), 'edited\n');
    await eventually(async () => expect(await inPod(pod, `cat ${remoteRoot}/image/a`)).toBe('edited\n'));
    await pair?.[Symbol.asyncDispose]();
    // As a fresh container has it: the image's files again, and nothing of ours.
    await inPod(
      pod,
      `rm -r ${remoteRoot}; mkdir -p ${remoteRoot}/image; echo old >${remoteRoot}/image/a; echo old >${remoteRoot}/image/b`,
    );
    writeFileSync(local('image/b'), 'edited too\n');
    writeFileSync(local('new'), 'new\n');
    containerId = 'second';
    events = [];
    await start();
    expect(await inPod(pod, `cat ${remoteRoot}/image/a ${remoteRoot}/image/b ${remoteRoot}/new`)).toBe(
      'edited\nedited too\nnew\n',
    );
    expect(readFileSync(local('image/a'), 'utf8')).toBe('edited\n');
    expect(events.filter((event) => event.kind === 'file' && event.direction === 'down')).toEqual([]);
  });

  it('takes a single file under another name', async () => {
    writeFileSync(local('a.ini'), 'one');
    writeFileSync(local('other'), 'no');
    const running = await start({
      identity: {
        cluster: 'test',
        namespace: pod.target.namespace,
        target: 'pod/box',
        container: 'main',
        remotePath: `${remoteRoot}/etc/b.ini`,
        localPath: local('a.ini'),
      },
    });
    expect(await inPod(pod, `cd ${remoteRoot}/etc && ls && cat b.ini`)).toBe('b.ini\none');
    writeFileSync(local('a.ini'), 'two');
    await eventually(async () => expect(await inPod(pod, `cat ${remoteRoot}/etc/b.ini`)).toBe('two'));
    await inPod(pod, `echo three >${remoteRoot}/etc/b.ini; echo x >${remoteRoot}/etc/c`);
    await eventually(() => expect(readFileSync(local('a.ini'), 'utf8')).toBe('three\n'));
    expect(existsSync(local('c'))).toBe(false);
    await running.engine.inSync();
  });
});
