import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally 10 GB with holes and 1 GB that grows. */
const sparseBytes = 1024 ** 3;
const grownBytes = 150 * 1024 ** 2;
const mib = 1024 ** 2;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f27', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F27 file of 1 GiB with holes, and one that grows to 150 MiB', async ({ task }) => {
  passesWhen(
    task,
    'app and helper grow by at most 64 MiB each, both files arrive whole, and ending takes at most 500 ms',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  rig.write('here', 'first', freshContent());
  await rig.start();
  // What the engine takes for any transfer is not growth by the file's size.
  for (let index = 0; index < 40; index++) rig.write('here', `warm${index}`, freshContent(500_000));
  await rig.converged(10_000);
  await sleep(1_500);
  const before = { appMib: rig.resources.highest('appMib'), helperMib: rig.resources.highest('helperMib') };
  writeFileSync(rig.here('sparse'), 'begin');
  truncateSync(rig.here('sparse'), sparseBytes);
  const block = freshContent(mib);
  for (let written = 0; written < grownBytes; written += mib) {
    appendFileSync(rig.here('growing'), block);
    if (written % (8 * mib) === 0) await sleep(30);
  }
  await eventually(
    () =>
      expect(['sparse', 'growing'].map((name) => statSync(rig.remote(name)).size)).toEqual([
        sparseBytes,
        statSync(rig.here('growing')).size,
      ]),
    100_000,
    200,
  );
  await eventually(() => execFileSync('cmp', [rig.here('growing'), rig.remote('growing')]), 20_000, 200);
  execFileSync('cmp', [rig.here('sparse'), rig.remote('sparse')]);
  const grown = {
    app: rig.resources.highest('appMib') - before.appMib,
    helper: rig.resources.highest('helperMib') - before.helperMib,
  };
  measured(task, `app +${grown.app.toFixed(0)} MiB, helper +${grown.helper.toFixed(0)} MiB`);
  expect(grown.app).toBeLessThan(64);
  expect(grown.helper).toBeLessThan(64);
  rmSync(rig.here('sparse'));
  await eventually(() => expect(statSync(rig.remote('sparse'), { throwIfNoEntry: false })).toBe(undefined));
  for (let written = 0; written < 100; written++) appendFileSync(rig.here('cancelled'), freshContent(mib));
  await sleep(300);
  const began = Date.now();
  expect(await rig.sync.stop()).toBe(0);
  measured(task, `ended ${Date.now() - began} ms after Ctrl-C in the middle of an upload`);
  expect(Date.now() - began).toBeLessThan(allowed(1_500));
}, 240_000);
