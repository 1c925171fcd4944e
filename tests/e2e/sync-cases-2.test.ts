import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { SessionEvent } from '../../contract/session-events.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectl, kubectlJson } from '../support/kubectl.ts';
import { slipway } from '../support/slipway.ts';
import { barePod, eventsOf, health, podsOf, SyncPlace } from '../support/sync-place.ts';
import { treeOf } from '../support/tree-hash.ts';
import { webDeployment } from '../support/workloads.ts';

/** Long enough for anything that should not come to come. */
const quietMs = 1000;
const locked = { securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } };
const scratchVolume = (mountPath: string) => ({
  pod: { volumes: [{ name: 'scratch', emptyDir: {} }] },
  container: { ...locked, volumeMounts: [{ name: 'scratch', mountPath }] },
});

describe('a pair', () => {
  let namespace: Awaited<ReturnType<typeof podsOf>>;
  beforeAll(async () => {
    namespace = await podsOf('e2e-cases', (name) => [
      barePod(name, 'work', { containers: ['main', 'other'] }),
      barePod(name, 'locked', { image: 'sandbox/nonroot:1', container: locked }),
      barePod(name, 'scratch', { image: 'sandbox/nonroot:1', ...scratchVolume('/tmp') }),
      webDeployment(name, { replicas: 1 }),
      webDeployment(name, { name: 'shut', image: 'sandbox/nonroot:1', replicas: 1, container: locked }),
    ]);
  });
  afterAll(() => namespace[Symbol.asyncDispose]());

  const place = (options: ConstructorParameters<typeof SyncPlace>[2] = {}): SyncPlace =>
    new SyncPlace(namespace.name, 'work', options);
  function write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const namesIn = (folder: string): string[] => readdirSync(folder).sort();

  it('never changes in the container what is excluded from upload, and the other way round', async () => {
    using at = place();
    for (const name of ['m.js', 'm.css'])
      for (const path of [at.here(), at.remote()]) write(join(path, 'assets', name), name);
    write(at.remote('d/x'), 'x');
    const flags = [
      '--upload-exclude',
      'assets/m.*',
      '--download-exclude',
      'd/',
      '--initial-sync',
      'mirrorLocal',
    ];
    await using sync = await at.start(...flags);
    expect(existsSync(at.remote('d'))).toBe(false);
    const before = statSync(at.remote('assets/m.css'), { bigint: true });
    rmSync(at.here('assets/m.js'));
    renameSync(at.here('assets/m.css'), at.here('assets/m.css.tmp'));
    await eventually(() => expect(eventsOf(sync, 'health').at(-1)?.message).toBe('in sync'));
    await sleep(quietMs);
    renameSync(at.here('assets/m.css.tmp'), at.here('assets/m.css'));
    write(at.remote('d/y'), 'y');
    write(at.here('marker'), 'up');
    await eventually(() => expect(existsSync(at.remote('marker'))).toBe(true));
    await sleep(quietMs);
    expect(namesIn(at.remote('assets'))).toEqual(['m.css', 'm.js']);
    expect(statSync(at.remote('assets/m.css'), { bigint: true }).ctimeNs).toBe(before.ctimeNs);
    expect(existsSync(at.here('d'))).toBe(false);
    expect(await sync.stop()).toBe(0);
  });

  for (const [patterns, passes] of [
    [['test/', '!test/foo'], false],
    [['test/*', '!test/foo'], true],
  ] as const) {
    it(`treats both directions alike under ${patterns.join(' ')}`, async () => {
      using at = place();
      write(at.here('test/bar'), 'bar');
      write(at.here('test/foo/bar'), 'bar');
      mkdirSync(at.remote('test/foo'), { recursive: true });
      await using sync = await at.start(...patterns.flatMap((pattern) => ['--exclude', pattern]));
      write(at.here('test/foo/up'), 'up');
      write(at.remote('test/foo/down'), 'down');
      write(at.here('marker'), 'up');
      write(at.remote('other'), 'down');
      await eventually(() =>
        expect([existsSync(at.remote('marker')), existsSync(at.here('other'))]).toEqual([true, true]),
      );
      await sleep(quietMs);
      const crossed = [at.remote('test/foo/up'), at.here('test/foo/down'), at.remote('test/foo/bar')].map(
        (path) => existsSync(path),
      );
      expect(crossed).toEqual([passes, passes, passes]);
      expect(existsSync(at.remote('test/bar'))).toBe(false);
      expect(await sync.stop()).toBe(0);
    });
  }

  it('reads commas, spaces and brackets of a pattern as git does', async () => {
    using at = place();
    const patterns = ['*,cover', 'a b', 'x=y', '[!x]', String.raw`\#hash`, '**/node_modules/', 'trail   '];
    const excluded = ['a,cover', 'a b', 'x=y', 'z', '#hash', 'nn/node_modules', 'trail'];
    const included = ['t.txt', 'ab', 'x', 'hash', 'cover', 'trail2', 'nn/other'];
    await using sync = await at.start(...patterns.flatMap((pattern) => ['--exclude', pattern]));
    for (const name of [...excluded, ...included]) {
      const path = name.endsWith('node_modules') ? `${name}/f` : name;
      write(at.remote(path), 'down');
      write(at.here(name === 'x' ? 'x' : `up/${path}`), 'up');
    }
    await eventually(() => {
      for (const name of included) expect([name, existsSync(at.here(name))]).toEqual([name, true]);
      for (const name of included.slice(1))
        if (name !== 'x') expect(existsSync(at.remote(`up/${name}`))).toBe(true);
    });
    await sleep(quietMs);
    for (const name of excluded)
      expect([name, existsSync(at.here(name)), existsSync(at.remote(`up/${name}`))]).toEqual([
        name,
        false,
        false,
      ]);
    expect(await sync.stop()).toBe(0);
  });

  it('keeps its rules from another pair of the same folder, and its files in the folder it was given', async () => {
    using a = place({ local: 'project/serve' });
    const other = place({ container: 'other' });
    write(a.here('f.a'), 'a');
    write(a.here('f.b'), 'b');
    const project = dirname(a.local);
    const pair = (remote: string): string => `./serve:${remote}`;
    await using first = a.launch(a.arguments(['-e', '*.a', '-e', 'out/'], [pair(a.remotePath)]), project);
    await using second = a.launch(
      other.arguments(['-e', '*.b', '-e', 'out/'], [`${a.local}:${other.remotePath}`]),
      '/',
    );
    await Promise.all([first.ready(), second.ready()]);
    expect([namesIn(a.remote()), namesIn(other.remote())]).toEqual([['f.b'], ['f.a']]);
    for (const at of [a, other]) {
      write(at.remote('out/x'), 'x');
      write(at.remote(`y-${at.container}`), 'y');
    }
    await eventually(() => expect(namesIn(a.local)).toEqual(['f.a', 'f.b', 'y-main', 'y-other']));
    await eventually(() => expect(namesIn(other.remote())).toEqual(['f.a', 'out', 'y-main', 'y-other']));
    await sleep(quietMs);
    expect([namesIn(a.local), namesIn(project)]).toEqual([['f.a', 'f.b', 'y-main', 'y-other'], ['serve']]);
    expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
    other[Symbol.dispose]();
  });

  it('lives with files that grow, shrink and vanish while they are sent', async () => {
    using at = place();
    await using sync = await at.start();
    const script = `i=0; while [ $i -lt 200 ]; do head -c $(((i * 7919) % 900000)) /dev/zero >x; date >>log; i=$((i+1));
      echo $i >gone$((i % 9)); rm -f gone$(((i + 4) % 9)); done`;
    const writer = spawn('sh', ['-c', script], { cwd: at.local });
    const ended = new Promise((resolve) => writer.on('close', resolve));
    for (let index = 0; index < 800; index++)
      write(at.here(`small/d${index % 20}/f${index}`), randomBytes(6000));
    write(at.here('src.py'), '1');
    await eventually(() => expect(readFileSync(at.remote('src.py'), 'utf8')).toBe('1'), 5000);
    await ended;
    await eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)), 10_000);
    expect(eventsOf(sync, 'error')).toEqual([]);
    expect(await sync.stop()).toBe(0);
  });

  it('sends other files in time while one is written for ever', async () => {
    using at = place();
    await using sync = await at.start();
    const writer = setInterval(() => writeFileSync(at.here('app.log'), `${Date.now()}\n`, { flag: 'a' }), 20);
    await sleep(300);
    for (let edit = 0; edit < 5; edit++) {
      write(at.here('src.py'), `${edit}`);
      await eventually(() => expect(readFileSync(at.remote('src.py'), 'utf8')).toBe(`${edit}`), 1500, 5);
    }
    expect(statSync(at.remote('app.log')).size).toBeGreaterThan(0);
    clearInterval(writer);
    await eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)));
    expect(await sync.stop()).toBe(0);
  });

  it('carries the executable bit, also when it changes alone or while nothing runs', async () => {
    using at = place();
    write(at.here('run'), '');
    write(at.here('key'), 'secret');
    chmodSync(at.here('run'), 0o755);
    chmodSync(at.here('key'), 0o600);
    const mode = (name: string): number => statSync(at.remote(name)).mode & 0o7777;
    const first = await at.start();
    expect([mode('run'), mode('key') & 0o077]).toEqual([0o755, 0]);
    chmodSync(at.here('run'), 0o644);
    await eventually(() => expect(mode('run')).toBe(0o644));
    chmodSync(at.here('run'), 0o4755);
    await eventually(() => expect(mode('run')).toBe(0o755));
    chmodSync(at.remote('run'), 0o644);
    await eventually(() => expect(statSync(at.here('run')).mode & 0o777).toBe(0o644));
    expect(await first.stop()).toBe(0);
    chmodSync(at.here('run'), 0o755);
    expect((await at.run('--no-watch')).code).toBe(0);
    expect(mode('run')).toBe(0o755);
  });

  it('refuses a container that nothing can be written to, by the field that says so', async () => {
    const at = new SyncPlace(namespace.name, 'scratch', { remotePath: '/tmp/app' });
    write(at.here('f'), 'f');
    const run = (...args: readonly string[]) => slipway({ home: at.home }, ...args, '--json');
    const path = ['--path', `${at.local}:/app`];
    const refused = await run('sync', '-n', namespace.name, '--pod', 'locked', ...path);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'helper.not-runnable',
      next: expect.stringMatching(/readOnlyRootFilesystem/) as string,
    });

    const spec = async () =>
      (await kubectlJson<V1Deployment>('-n', namespace.name, 'get', 'deployment', 'shut')).spec;
    const before = await spec();
    const replaced = await run('dev', '-n', namespace.name, 'deploy/shut', ...path);
    expect(replaced.code).toBe(1);
    expect(replaced.stdout).toMatch(/"code":"helper.not-runnable".*readOnlyRootFilesystem/);
    expect(await spec()).toEqual(before);
    expect(await kubectl('-n', namespace.name, 'get', 'deployments,leases', '-o', 'name')).toBe(
      'deployment.apps/shut\ndeployment.apps/web\n',
    );

    chmodSync(at.remote(), 0o777);
    await using sync = await at.start();
    expect(readFileSync(at.remote('f'), 'utf8')).toBe('f');
    write(at.here('g'), 'g');
    await eventually(() => expect(readFileSync(at.remote('g'), 'utf8')).toBe('g'));
    expect(await sync.stop()).toBe(0);
    at[Symbol.dispose]();
  });

  it('sends and fetches 100 MB whole, without holding them in memory', async () => {
    using at = place();
    const block = randomBytes(1024 * 1024);
    const big = (path: string): void => {
      for (let index = 0; index < 100; index++) {
        block.writeUInt32LE(index, 0);
        writeFileSync(path, block, { flag: 'a' });
      }
    };
    await using sync = await at.start();
    const memory = (): number =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${sync.child.pid}/status`, 'utf8'))?.[1]) / 1024;
    const before = memory();
    big(at.here('up'));
    big(at.scratch('down'));
    renameSync(at.scratch('down'), at.scratch('down'));
    write(at.remote('down'), readFileSync(at.scratch('down')));
    write(at.here('small'), 'ahead');
    await eventually(() => expect(readFileSync(at.remote('small'), 'utf8')).toBe('ahead'), 3000, 5);
    await eventually(
      () =>
        expect([statSync(at.remote('up')).size, statSync(at.here('down')).size]).toEqual([
          104857600, 104857600,
        ]),
      60_000,
    );
    const expected = await sha256(at.here('up'));
    expect([await sha256(at.remote('up')), await sha256(at.here('down'))]).toEqual([expected, expected]);
    expect(memory() - before).toBeLessThan(200);
    expect(await sync.stop()).toBe(0);
  });

  it('goes on after a kill in the middle of the first sync', async () => {
    using at = place();
    for (let index = 0; index < 4000; index++)
      write(at.here(`d${index % 50}/f${index}`), `content ${index}`.repeat(20));
    const files = (root: string): number =>
      [...treeOf(root).values()].filter((what) => what.startsWith('file')).length;
    {
      await using first = at.begin();
      await first.waitFor((event): event is SessionEvent => event.event === 'sync');
      await eventually(() => expect(files(at.remote())).toBeGreaterThan(800), 20_000, 10);
      first.child.kill('SIGKILL');
    }
    for (let index = 0; index < 100; index++) rmSync(at.here(`d${index % 50}/f${index}`));
    await sleep(500);
    const between = new Set(treeOf(at.remote()).keys());
    await using second = await at.start();
    const expected =
      3900 + [...Array(100).keys()].filter((index) => between.has(`d${index % 50}/f${index}`)).length;
    await eventually(() => expect(treeOf(at.remote())).toEqual(treeOf(at.local)));
    // What had arrived and was never agreed on is nobody's deletion.
    expect(files(at.local)).toBeGreaterThanOrEqual(3900);
    expect(files(at.local)).toBeLessThanOrEqual(expected);
    expect([...treeOf(at.remote()).keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
    expect(await second.stop()).toBe(0);
  });

  it('brings a new pod up to date before it says so', async () => {
    using at = place();
    // Tried again it finds what it wrote before.
    const token = randomBytes(4).toString('hex');
    const running = async (): Promise<V1Pod[]> =>
      (
        await kubectlJson<{ items: V1Pod[] }>('-n', namespace.name, 'get', 'pods', '-l', 'app=web')
      ).items.filter(
        (pod) => pod.status?.phase === 'Running' && pod.metadata?.deletionTimestamp === undefined,
      );
    const [pod] = await running();
    const paths = ['--path', `${at.local}:/app`, '--container', 'web'];
    await using sync = at.launch(['sync', '-n', namespace.name, '-l', 'app=web', ...paths]);
    await sync.ready();
    expect(existsSync(at.here('index.html'))).toBe(true);
    write(at.here('index.html'), `edited ${token}`);
    for (let index = 0; index < 9; index++) write(at.here(`f${index}`), `edit ${index} ${token}`);
    await eventually(() =>
      expect(eventsOf(sync, 'sync').filter(({ direction }) => direction === 'up')).toHaveLength(10),
    );
    await eventually(() => expect(eventsOf(sync, 'health').at(-1)?.message).toBe('in sync'));

    const since = sync.events.length;
    await kubectl('-n', namespace.name, 'delete', 'pod', pod?.metadata?.name ?? '', '--wait=false');
    write(at.here('f0'), `edited meanwhile ${token}`);
    write(at.here('new'), `new meanwhile ${token}`);
    await health(sync, /^in sync$/, since);
    const [next] = await running();
    expect(next?.metadata?.uid).not.toBe(pod?.metadata?.uid);
    const there = new SyncPlace(namespace.name, next?.metadata?.name ?? '', {
      container: 'web',
      remotePath: '/app',
    });
    expect(treeOf(there.remote())).toEqual(treeOf(at.local));
    const texts = ['index.html', 'f0', 'new'].map((name) => readFileSync(at.here(name), 'utf8'));
    expect(texts).toEqual(['edited', 'edited meanwhile', 'new meanwhile'].map((text) => `${text} ${token}`));
    const states = eventsOf(sync, 'health', since).map(({ message }) => message.replace(/,.*/, ''));
    expect(
      states.filter(
        (state, index) => /connecting|comparing|in sync/.test(state) && state !== states[index - 1],
      ),
    ).toEqual(['connecting', 'comparing', 'in sync']);
    expect(await sync.stop()).toBe(0);
  });
});

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
