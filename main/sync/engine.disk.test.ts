import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  existsSync,
  renameSync,
  chmodSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import { openAncestor } from './ancestor.ts';
import type { SyncEngine } from './engine.ts';
import { createSyncEngine } from './engine.ts';
import { loadConsentList } from './execution-consent.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { openLocalEndpoint } from './local-endpoint/local-endpoint.ts';
import { defaultBrake } from './plan-safety.ts';
import type { PathRulesOptions } from './rules.ts';
import type { NameRules } from './paths.ts';
import { anyNames } from './paths.ts';
import { createPathRules } from './rules.ts';
import type { Strategy } from './strategy.ts';
import type { SyncEvent } from './sync-event.ts';

let base: string;
let engine: SyncEngine | undefined;
let events: SyncEvent[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipway-engine-'));
  mkdirSync(join(base, 'l'));
  mkdirSync(join(base, 'r'));
  events = [];
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  rmSync(base, { recursive: true, force: true });
});

const local = (path: string): string => join(base, 'l', path);
const remote = (path: string): string => join(base, 'r', path);
const read = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

/** The engine between two folders of this machine: the other one stands for the container's. */
async function start(
  more: {
    strategy?: Strategy;
    rules?: PathRulesOptions;
    trashCap?: number;
    remoteTrashCap?: number;
    names?: NameRules;
  } = {},
): Promise<SyncEngine> {
  const clock = systemClock;
  const trash = new DiskTrash({ folder: join(base, 'trash'), clock, capBytes: more.trashCap });
  const rules = more.rules ?? {};
  const started = createSyncEngine({
    rules: createPathRules(rules),
    strategy: more.strategy ?? 'preferLocal',
    brake: defaultBrake,
    local: await openLocalEndpoint({ root: local(''), rules, trash, clock }),
    connectRemote: async () =>
      openLocalEndpoint({
        root: remote(''),
        rules,
        trash: new DiskTrash({ folder: join(base, 'trash-r'), clock }),
        clock,
      }),
    firstEpoch: 1,
    ancestor: await openAncestor(diskAncestorFiles, join(base, 'state')),
    trash,
    remoteTrashCapBytes: more.remoteTrashCap,
    clock,
    random: Math.random,
    localNames: more.names ?? anyNames,
    consent: loadConsentList(),
  });
  started.onEvent((event) => events.push(event));
  engine = started;
  await started.inSync();
  return started;
}

async function eventually(check: () => void, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

describe('the engine between two folders', () => {
  it('brings what only one side has to the other, and says in sync', async () => {
    mkdirSync(local('a/b'), { recursive: true });
    writeFileSync(local('a/b/c'), 'one');
    writeFileSync(remote('d'), 'two');
    await start();
    expect(read(remote('a/b/c'))).toBe('one');
    expect(read(local('d'))).toBe('two');
  });

  it('can be stopped while the folder of this machine is gone', async () => {
    writeFileSync(local('f'), '1');
    const pair = await start();
    rmSync(local(''), { recursive: true });
    await eventually(() => expect(pair.state.kind).toBe('paused'));
    // What is told is a person's sentence, not the system's code.
    const reason = pair.state.kind === 'paused' ? pair.state.reason.toValue() : undefined;
    expect(reason).toMatchObject({ code: 'sync.local-path-missing' });
    expect(reason?.cause).toMatch(/moved, renamed or deleted/);
    expect(Object.values(reason ?? {}).join(' ')).not.toContain('ENOENT');
    await pair.stop();
    expect(pair.state.kind).toBe('stopped');
    expect(read(remote('f'))).toBe('1');
  });

  it('sends edits, deletes, renames and modes both ways', async () => {
    writeFileSync(local('f'), '1');
    await start();
    writeFileSync(local('f'), '22');
    await eventually(() => expect(read(remote('f'))).toBe('22'));
    writeFileSync(remote('f'), '333');
    await eventually(() => expect(read(local('f'))).toBe('333'));
    renameSync(local('f'), local('g'));
    await eventually(() => expect([read(remote('f')), read(remote('g'))]).toEqual([undefined, '333']));
    chmodSync(local('g'), 0o755);
    await eventually(() => expect(statSync(remote('g')).mode & 0o777).toBe(0o755));
    rmSync(remote('g'));
    await eventually(() => expect(existsSync(local('g'))).toBe(false));
    expect(readdirSync(join(base, 'trash')).filter((name) => !name.endsWith('.json')).length).toBeGreaterThan(
      0,
    );
  });

  it('deletes folders in folders on either side', async () => {
    for (const side of [local, remote]) {
      mkdirSync(side('keep'), { recursive: true });
      mkdirSync(side('a/b/c'), { recursive: true });
      writeFileSync(side('a/b/c/file'), '1');
    }
    await start();
    rmSync(remote('a/b'), { recursive: true });
    await eventually(() => expect(readdirSync(local('a'))).toEqual([]));
    mkdirSync(local('a/b/c'), { recursive: true });
    await eventually(() => expect(existsSync(remote('a/b/c'))).toBe(true));
    rmSync(local('a'), { recursive: true });
    await eventually(() => expect(readdirSync(remote(''))).toEqual(['keep']));
  });

  it('finds files in folders made at once, a hundred times', async () => {
    await start();
    for (let index = 0; index < 100; index++) {
      mkdirSync(local(`n${index}/a/b`), { recursive: true });
      writeFileSync(local(`n${index}/a/b/f`), String(index));
    }
    await eventually(() => {
      for (let index = 0; index < 100; index++) expect(read(remote(`n${index}/a/b/f`))).toBe(String(index));
    });
  });

  it('continues from its ancestor: nothing to do at the second start, and deletes made meanwhile count', async () => {
    for (let index = 0; index < 20; index++) writeFileSync(local(`f${index}`), String(index));
    const first = await start();
    await first.stop();
    rmSync(local('f3'));
    writeFileSync(remote('f4'), 'changed');
    events = [];
    await start();
    expect(existsSync(remote('f3'))).toBe(false);
    expect(read(local('f4'))).toBe('changed');
    expect(
      events
        .filter((event) => event.kind === 'file')
        .map((event) => event.path)
        .sort(),
    ).toEqual(['f3', 'f4']);
  });

  it('holds a mass deletion, and brings everything back when asked to', async () => {
    for (let index = 0; index < 150; index++) writeFileSync(local(`f${index}`), String(index));
    const running = await start();
    for (let index = 0; index < 150; index++) rmSync(remote(`f${index}`));
    await eventually(() => expect(running.held.map((held) => held.kind)).toEqual(['brake']));
    expect(readdirSync(local('')).length).toBe(150);
    expect(running.resolveHeld(running.held[0]?.id ?? '', 'restore')).toBe(true);
    await eventually(() => expect(readdirSync(remote('')).length).toBe(150));
    expect(readdirSync(local('')).length).toBe(150);
  });

  it('holds a first sync that would overwrite on the laptop', async () => {
    writeFileSync(local('f'), 'mine');
    writeFileSync(remote('f'), 'theirs');
    const running = await start({ strategy: 'preferRemote' });
    expect(read(local('f'))).toBe('mine');
    expect(running.held.map((held) => held.kind)).toEqual(['first-sync']);
    running.resolveHeld(running.held[0]?.id ?? '', 'apply');
    await eventually(() => expect(read(local('f'))).toBe('theirs'));
  });

  it('does what a held first sync was asked about, once it is answered', async () => {
    writeFileSync(local('mine'), 'mine');
    for (let index = 0; index < 101; index++) writeFileSync(remote(`f${index}`), 'f');
    const running = await start({ strategy: 'mirrorLocal' });
    expect(running.held.map(({ kind }) => kind)).toEqual(['brake']);
    running.resolveHeld(running.held[0]?.id ?? '', 'apply');
    await eventually(() => expect(readdirSync(remote(''))).toEqual(['mine']));
    expect(readdirSync(local(''))).toEqual(['mine']);
  });

  it('holds what the laptop would execute', async () => {
    const running = await start();
    mkdirSync(remote('.vscode'));
    writeFileSync(remote('.vscode/tasks.json'), '{}');
    writeFileSync(remote('ok'), '1');
    await eventually(() => expect(read(local('ok'))).toBe('1'));
    await eventually(() => expect(running.held.map((held) => held.kind)).toEqual(['consent']));
    expect(existsSync(local('.vscode/tasks.json'))).toBe(false);
    running.resolveHeld(running.held[0]?.id ?? '', 'apply');
    await eventually(() => expect(read(local('.vscode/tasks.json'))).toBe('{}'));
  });

  it('holds the piece that would make a repository of a folder, however late it comes', async () => {
    const running = await start();
    mkdirSync(remote('x/objects'), { recursive: true });
    writeFileSync(remote('x/HEAD'), 'ref: refs/heads/main\n');
    await eventually(() => expect(existsSync(local('x/HEAD'))).toBe(true));
    mkdirSync(remote('x/refs'));
    await eventually(() => expect(running.held.map((held) => held.kind)).toEqual(['consent']));
    expect(existsSync(local('x/refs'))).toBe(false);
  });

  it('brings one of two names that this machine takes for one, and reports the other', async () => {
    mkdirSync(remote('src'));
    for (const name of ['README', 'readme', 'src/a']) writeFileSync(remote(name), name);
    const running = await start({ names: { windows: false, caseInsensitive: true, normalising: false } });
    expect(readdirSync(local(''))).toEqual(['README', 'src']);
    expect(events.filter(({ kind }) => kind === 'problem')).toEqual([
      {
        kind: 'problem',
        side: 'local',
        problem: { path: 'readme', message: 'Not synced: README is the same name on this machine' },
      },
    ]);
    writeFileSync(local('README'), 'edited');
    await eventually(() => expect(read(remote('README'))).toBe('edited'));
    await running.inSync();
    expect(read(remote('readme'))).toBe('readme');
  });

  it('keeps up with a file that never rests, and sends the others meanwhile', async () => {
    await start();
    let stop = false;
    const writer = (async () => {
      for (let index = 0; !stop; index++) {
        writeFileSync(local('hot.log'), `${'x'.repeat(index * 7)}\n`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    writeFileSync(local('src.py'), '1');
    await eventually(() => expect(read(remote('src.py'))).toBe('1'), 1000);
    await eventually(() => expect(read(remote('hot.log'))?.length ?? 0).toBeGreaterThan(0), 3000);
    stop = true;
    await writer;
    await eventually(() => expect(read(remote('hot.log'))).toBe(read(local('hot.log'))));
  });

  it('sends an edit in well under 200 ms', async () => {
    await start();
    const times: number[] = [];
    for (let index = 0; index < 40; index++) {
      const began = performance.now();
      const [from, to] = index % 2 === 0 ? [local('e'), remote('e')] : [remote('e'), local('e')];
      writeFileSync(from, `edit ${index} ${'y'.repeat(4000)}`);
      await eventually(() => expect(read(to)).toContain(`edit ${index} `));
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    expect(times[38]).toBeLessThan(200);
  });
});

describe('a trash with little room', () => {
  const trashed = (): string[] => readdirSync(join(base, 'trash')).filter((name) => !name.endsWith('.json'));
  const notices = (): string[] => events.flatMap((event) => (event.kind === 'notice' ? [event.message] : []));
  const put = (names: readonly string[], at = local): void => {
    for (const name of names) writeFileSync(at(name), name.repeat(40));
  };

  it('lets the oldest version go while the session runs, and says which', async () => {
    put(['a', 'b', 'c', 'd']);
    await start({ trashCap: 100 });
    for (const name of ['a', 'b', 'c']) {
      rmSync(remote(name));
      await eventually(() => expect(existsSync(local(name))).toBe(false));
    }
    await eventually(() => expect(notices().join()).toContain('the oldest one went: a'));
    expect(trashed()).toHaveLength(2);
  });

  it('holds a batch of deletions and overwrites on the laptop that is larger than all of it', async () => {
    put(['a', 'b', 'c', 'd']);
    const running = await start({ trashCap: 100 });
    rmSync(remote('a'));
    rmSync(remote('b'));
    rmSync(remote('c'));
    await eventually(() => expect(running.held.map(({ kind }) => kind)).toEqual(['trash-cap']));
    expect(running.held[0]?.paths).toEqual(['a', 'b', 'c']);
    await running.inSync();
    expect(readdirSync(local(''))).toEqual(['a', 'b', 'c', 'd']);
    running.resolveHeld(running.held[0]?.id ?? '', 'restore');
    await eventually(() => expect(readdirSync(remote(''))).toEqual(['a', 'b', 'c', 'd']));
  });

  it('carries the batch out when told to, and says what did not fit', async () => {
    put(['a', 'b', 'c', 'd']);
    const running = await start({ trashCap: 100 });
    for (const name of ['a', 'b', 'c']) rmSync(remote(name));
    await eventually(() => expect(running.held).toHaveLength(1));
    running.resolveHeld(running.held[0]?.id ?? '', 'apply');
    await eventually(() => expect(readdirSync(local(''))).toEqual(['d']));
    await eventually(() => expect(notices().join()).toContain('is full'));
  });

  it('says what the container cannot keep', async () => {
    put(['a', 'b', 'c', 'd']);
    await start({ remoteTrashCap: 70 });
    rmSync(local('a'));
    rmSync(local('b'));
    await eventually(() => expect(existsSync(remote('b'))).toBe(false));
    expect(notices()).toEqual([
      "The container's trash keeps 70 bytes, so not all old versions of a, b (80 bytes) are kept there",
    ]);
  });
});
