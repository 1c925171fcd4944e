import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

/** Literally ten minutes and four hours; nothing is counted that takes longer than the limits of this. */
const awayMs = 20_000;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f04', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F4 line that carries nothing both ways and does not end', async ({ task }) => {
  passesWhen(
    task,
    'it is noticed within 6 s, edits wait, and both sides are in sync at most 5 s after it works again',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', proxy: true });
  for (let index = 0; index < 30; index++) rig.write('here', `f${index}`, freshContent());
  await rig.start();
  rig.read();
  const began = Date.now();
  await rig.proxy?.run({ kind: 'block', on: true });
  for (let edit = 0; Date.now() - began < awayMs; edit++) {
    rig.write('here', `f${edit % 30}`, freshContent());
    rig.write('there', `g${edit % 30}`, freshContent());
    await sleep(500);
  }
  const shown = rig.honesty.find(began, ({ state }) => state === 'reconnecting');
  expect((shown?.at ?? Infinity) - began).toBeLessThan(allowed(7_000));
  // What was connected never carries anything again, as behind a router that forgot it.
  await rig.proxy?.run({ kind: 'kill' });
  await rig.proxy?.run({ kind: 'block', on: false });
  measured(
    task,
    `noticed after ${(shown?.at ?? 0) - began} ms, in sync ${await rig.converged(5_000)} ms after`,
  );
  await rig.verify();
});

it('F4 laptop asleep, its connections are dead when it wakes', async ({ task }) => {
  passesWhen(task, 'at most 6 s after waking it is noticed, at most 5 s later both sides are in sync');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', proxy: true });
  for (let index = 0; index < 30; index++) rig.write('here', `f${index}`, freshContent());
  const { child } = await rig.start();
  rig.read();
  child.kill('SIGSTOP');
  await rig.proxy?.run({ kind: 'kill' });
  for (let edit = 0; edit < 30; edit++) rig.write('there', `g${edit}`, freshContent());
  await sleep(awayMs);
  rig.write('here', 'f0', freshContent());
  const woke = Date.now();
  child.kill('SIGCONT');
  const shown = await eventually(() => {
    const state = rig.honesty.find(woke, ({ state: is }) => is === 'reconnecting');
    if (state === undefined) throw new Error('Not noticed');
    return state;
  }, allowed(7_000));
  const took = await rig.converged(11_000, woke);
  measured(task, `noticed ${shown.at - woke} ms after waking, in sync after ${took} ms`);
  await eventually(() => expect(helperProcesses(rig.root)).toHaveLength(2), 70_000);
  await rig.verify();
}, 180_000);
