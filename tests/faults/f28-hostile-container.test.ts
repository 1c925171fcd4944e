import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperFolders } from './support/helpers.ts';

/** Literally a million tries; the fuzz targets of the helper make the many. */
const swapMs = 6_000;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f28', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

for (const side of ['here', 'there'] as const) {
  const where = side === 'here' ? 'on the laptop' : 'in the container';
  it(`F28 folder ${where} exchanged for a link that leads out, again and again`, async ({ task }) => {
    passesWhen(task, 'nothing is written, changed or removed outside of either root');
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
    rig.write('here', 'folder/f', freshContent());
    await rig.start();
    await rig.converged(5_000);
    const own = side === 'here' ? rig.local : rig.remote();
    symlinkSync(`../${own.split('/').at(-1) ?? ''}-sibling`, join(own, 'out'));
    const swapper = spawn('python3', ['-c', swapProgram, join(own, 'folder'), join(own, 'out')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    swapper.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(() => expect(said).toMatch(/^begun/));
    const ended = new Promise((resolve) => swapper.on('close', resolve));
    const other = side === 'here' ? rig.remote() : rig.local;
    const until = Date.now() + swapMs;
    for (let edit = 0; Date.now() < until; edit++) {
      try {
        writeFileSync(join(other, 'folder', `canary`), freshContent());
        writeFileSync(join(other, 'folder', `f${edit % 5}`), freshContent());
      } catch {
        // The folder is away or a link at the moment.
      }
      await sleep(7);
    }
    swapper.kill('SIGTERM');
    await ended;
    const exchanges = Number(said.replace('begun', ''));
    expect(exchanges).toBeGreaterThan(50);
    measured(task, `${exchanges} exchanges, ${eventsOf(rig.sync, 'sync').length} steps`);
    await sleep(500);
    rig.ledger.forgiveAll();
    await rig.verify();
  });
}

const swapProgram = `
import ctypes, signal, sys, time
libc = ctypes.CDLL(None)
count = 0
def end(*_):
    print(count)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print('begun', flush=True)
while True:
    if libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2) == 0: count += 1
    time.sleep(0.001)
`;

it('F29 container with thirty thousand empty files in an excluded folder and a file without end', async ({
  task,
}) => {
  passesWhen(task, 'app and helper stay within their memory, and what else changes still arrives');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  rig.write('here', 'first', freshContent());
  await rig.start('--exclude', 'excluded/');
  mkdirSync(rig.remote('excluded'));
  // Excluded by the user: it costs nothing. Literally ten million; thirty thousand show whether it is looked into.
  const bomb = spawn(
    'sh',
    ['-c', 'i=0; while [ $i -lt 120 ]; do mkdir d$i; (cd d$i; seq 250 | xargs touch); i=$((i+1)); done'],
    {
      cwd: rig.remote('excluded'),
    },
  );
  const ended = new Promise((resolve) => bomb.on('close', resolve));
  // A file that never ends, of nothing but zeros: it compresses a thousandfold.
  const endless = spawn(
    'sh',
    ['-c', 'i=0; while [ $i -lt 40 ]; do head -c 1000000 /dev/zero >>endless; sleep 0.05; i=$((i+1)); done'],
    { cwd: rig.remote() },
  );
  const stopped = new Promise((resolve) => endless.on('close', resolve));
  let longest = 0;
  for (let edit = 0; edit < 10; edit++) {
    const content = freshContent();
    const began = Date.now();
    rig.write('here', 'first', content);
    await eventually(() => expect(readFileSync(rig.remote('first')).equals(content)).toBe(true), 10_000, 5);
    longest = Math.max(longest, Date.now() - began);
    await sleep(200);
  }
  await Promise.all([ended, stopped]);
  await eventually(
    () => expect(statSync(rig.here('endless')).size).toBe(statSync(rig.remote('endless')).size),
    30_000,
  );
  measured(
    task,
    `the slowest edit took ${longest} ms, app at most ${rig.resources.highest('appMib').toFixed(0)} MiB, helper ${rig.resources.highest('helperMib').toFixed(0)} MiB`,
  );
  expect(readdirSync(rig.local).sort()).toEqual(['endless', 'first']);
  await rig.verify();
}, 180_000);

it('F30 helper that lies in the container already and says the right version', async ({ task }) => {
  passesWhen(
    task,
    'it never works for a sync: a file that is not ours is replaced, a folder that is not ours passed over',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work' });
  // Learn which folder this pair uses, and how its helper is called.
  await rig.start();
  const [folder = ''] = helperFolders(rig.root);
  const [binary = ''] = readdirSync(folder).filter((name) => name.startsWith('helper-'));
  expect(binary).not.toBe('');
  expect(await rig.sync.stop()).toBe(0);
  expect(existsSync(folder)).toBe(false);
  const fake = `#!/bin/sh\ntouch /owned\necho "slipway-helper protocol=1"\n`;
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, binary), fake);
  chmodSync(join(folder, binary), 0o700);
  rig.write('here', 'a', freshContent());
  await rig.start();
  await rig.converged(5_000);
  // Asked for its version it may have run, in the container that it is of; what works now is ours.
  expect(readFileSync(join(folder, binary)).length).toBeGreaterThan(1_000_000);
  await rig.verify();
  rmSync(join(rig.root, 'owned'), { force: true });

  // The folder itself is a link to somewhere else.
  mkdirSync(join(rig.root, 'elsewhere'), { recursive: true });
  writeFileSync(join(rig.root, 'elsewhere', binary), fake);
  chmodSync(join(rig.root, 'elsewhere', binary), 0o700);
  symlinkSync('/elsewhere', folder);
  await rig.start();
  rig.write('here', 'b', freshContent());
  await rig.converged(5_000);
  expect(existsSync(join(rig.root, 'owned'))).toBe(false);
  expect(readdirSync(join(rig.root, 'elsewhere'))).toEqual([binary]);
  await rig.verify();
});

it('F31 container that writes what the laptop would execute', async ({ task }) => {
  passesWhen(
    task,
    'nothing of it is written on the laptop without being asked for, also by another name or through a move',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  rig.write('here', 'plain', freshContent());
  await rig.start();
  const hostile = [
    '.git/hooks/post-checkout',
    '.git/config',
    'sub/.GIT/config',
    'git~1/config',
    'devspace.yaml',
    '.vscode/tasks.json',
    'deep/down/.envrc',
    '.husky/pre-commit',
    '.npmrc',
    'bare.git/HEAD',
    'bare.git/objects/x',
    'bare.git/refs/x',
  ];
  for (const path of hostile) {
    mkdirSync(join(rig.remote(), path, '..'), { recursive: true });
    writeFileSync(rig.remote(path), 'owned');
  }
  // Under a harmless name first, then moved to where it is executed.
  writeFileSync(rig.remote('harmless'), 'owned');
  rig.write('there', 'marker', freshContent());
  await eventually(() =>
    expect(existsSync(rig.here('harmless')) && existsSync(rig.here('marker'))).toBe(true),
  );
  renameSync(rig.remote('harmless'), rig.remote('.envrc'));
  rig.write('there', 'marker2', freshContent());
  await eventually(() => expect(existsSync(rig.here('marker2'))).toBe(true));
  await eventually(() =>
    expect(eventsOf(rig.sync, 'held').flatMap(({ paths }) => paths)).toContain('.envrc'),
  );
  await sleep(500);
  const found = readdirSync(rig.local, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const names = found.map((entry) => join(entry.parentPath, entry.name).slice(rig.local.length + 1)).sort();
  expect(
    names.filter(
      (name) => !['plain', 'marker', 'marker2', 'harmless'].includes(name) && !name.startsWith('bare.git/'),
    ),
  ).toEqual([]);
  // A bare repository needs all three of its parts to be one.
  expect(names.filter((name) => name.startsWith('bare.git/')).length).toBeLessThan(3);
  await rig.verify();
});
