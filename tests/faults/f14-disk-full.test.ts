import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, health, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

const smallVolume = {
  pod: { volumes: [{ name: 'small', emptyDir: { medium: 'Memory', sizeLimit: '2Mi' } }] },
  container: { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
};

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f14', (name) => [barePod(name, 'work'), barePod(name, 'small', smallVolume)]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

const sizes = [3_000_000, 1_900_000, 1_400_000];

it('F14 disk full in the container', async ({ task }) => {
  passesWhen(
    task,
    'the old file stays whole, the reason is shown, and it goes on by itself when there is space',
  );
  await using rig = await FaultRig.open({
    namespace: namespace.name,
    pod: 'small',
    remotePath: '/small/app',
  });
  const old = freshContent(1_000);
  rig.write('here', 'old', old);
  await rig.start();
  rig.read(['old']);
  for (const size of sizes) {
    const since = rig.sync.events.length;
    writeFileSync(join(rig.root, 'small/ballast'), Buffer.alloc(700_000));
    rig.write('here', 'old', freshContent(size));
    expect((await health(rig.sync, /no space left/, since)).state).toBe('paused');
    rig.write('here', 'other', freshContent(100));
    await eventually(
      () => expect(readFileSync(rig.remote('other'))).toEqual(readFileSync(rig.here('other'))),
      8_000,
    );
    expect(rig.honesty.saysInSync).toBe(false);
    rm(join(rig.root, 'small/ballast'));
    rig.write('here', 'old', freshContent(20_000));
    measured(task, `in sync ${await rig.converged(40_000)} ms after there was space again`);
  }
  await rig.verify();
});

it('F14 disk full on the laptop', async ({ task }) => {
  passesWhen(
    task,
    'the old file stays whole, the reason is shown, and it goes on by itself when there is space',
  );
  const disk = mkdtempSync(join(tmpdir(), 'slipway-small-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
  try {
    const local = join(disk, 'p');
    mkdirSync(local);
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', local });
    rig.write('there', 'old', freshContent(1_000));
    await rig.start();
    rig.read(['old']);
    for (const size of sizes) {
      const since = rig.sync.events.length;
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(700_000));
      rig.write('there', 'old', freshContent(size));
      expect((await health(rig.sync, /no space left/, since)).state).toBe('paused');
      rig.write('there', 'other', freshContent(100));
      await eventually(
        () => expect(readFileSync(rig.here('other'))).toEqual(readFileSync(rig.remote('other'))),
        8_000,
      );
      expect(rig.honesty.saysInSync).toBe(false);
      rm(join(disk, 'ballast'));
      rig.write('there', 'old', freshContent(20_000));
      measured(task, `in sync ${await rig.converged(40_000)} ms after there was space again`);
    }
    await rig.verify();
  } finally {
    execFileSync('umount', ['-l', disk]);
    rm(disk);
  }
});

function rm(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
