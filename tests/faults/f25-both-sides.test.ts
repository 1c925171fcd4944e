import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

const rounds = 8;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f25', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F25 both sides change the same paths at once, with and without a line between them', async ({ task }) => {
  passesWhen(
    task,
    'both contents of each conflict survive, one of them at its path, and it is named within 1 s',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', proxy: true });
  for (const name of ['both', 'edited-removed', 'removed-edited', 'folder/child', 'folder2/child'])
    rig.write('here', name, freshContent());
  await rig.start();
  await rig.converged(5_000);
  let slowest = 0;
  for (let round = 0; round < rounds; round++) {
    const apart = round % 2 === 0;
    if (apart) await rig.proxy?.run({ kind: 'cut' });
    const since = rig.sync.events.length;
    const began = Date.now();
    rig.write('here', 'both', freshContent());
    rig.write('there', 'both', freshContent());
    rig.write('here', `created${round}`, freshContent());
    rig.write('there', `created${round}`, freshContent());
    rig.write('here', 'edited-removed', freshContent());
    rig.ledger.remove('there', 'edited-removed');
    rig.ledger.remove('here', 'removed-edited');
    rig.write('there', 'removed-edited', freshContent());
    rmSync(rig.here('folder'), { recursive: true, force: true });
    rig.write('there', 'folder/child', freshContent());
    rig.write('here', 'folder2/child', freshContent());
    await rig.converged(6_000);
    // An edit beats a delete.
    for (const name of ['edited-removed', 'removed-edited'])
      expect(readFileSync(rig.here(name)).length).toBeGreaterThan(0);
    if (apart) {
      const conflicts = eventsOf(rig.sync, 'conflict', since).map(({ path }) => path);
      expect(conflicts).toEqual(expect.arrayContaining(['both', `created${round}`]));
    }
    slowest = Math.max(slowest, Date.now() - began);
    await sleep(100);
  }
  measured(
    task,
    `${rounds} rounds, in sync at most ${slowest} ms after, ${eventsOf(rig.sync, 'conflict').length} conflicts named`,
  );
  // The child of the folder that was removed here as a whole was given up by the test.
  expect(rig.lost().filter((line) => !line.startsWith('folder'))).toEqual([]);
  rig.ledger.forgiveAll();
  await rig.verify();
});

it('F25 conflicts that nobody may decide but the user', async ({ task }) => {
  passesWhen(task, 'both contents stay where they are, and it is held within 1 s with a choice');
  await using rig = await FaultRig.open({
    namespace: namespace.name,
    pod: 'work',
    proxy: true,
    honestyEveryMs: 0,
  });
  rig.write('here', 'both', freshContent());
  await rig.start('--initial-sync', 'keepAll');
  await rig.converged(5_000);
  const since = rig.sync.events.length;
  await rig.proxy?.run({ kind: 'cut' });
  const [mine, theirs] = [freshContent(), freshContent()];
  rig.write('here', 'both', mine);
  rig.write('there', 'both', theirs);
  const began = Date.now();
  const event = await rig.sync.waitFor((each) => each.event === 'held', { since, timeoutMs: allowed(8_000) });
  measured(task, `held ${Date.now() - began} ms after, a reconnect included`);
  expect(event).toMatchObject({
    paths: ['both'],
    choices: expect.arrayContaining(['local', 'remote']) as string[],
  });
  await sleep(500);
  expect([readFileSync(rig.here('both')), readFileSync(rig.remote('both'))]).toEqual([mine, theirs]);
  expect(rig.honesty.current?.message).not.toBe('in sync');
  await rig.verify();
});
