import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

/** Literally 20,000 folders and a limit of 8,192 watches. */
const folders = 1_500;
const watches = 400;
/** More events than a queue of the kernel holds, which is 16,384. */
const flood = 20_000;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f21', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F21 fewer watches granted than there are folders on the laptop', async ({ task }) => {
  passesWhen(task, 'it says so, and every edit arrives within 15 s all the same');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  for (let index = 0; index < folders; index++) rig.write('here', `d${index}/f`, freshContent(50));
  // A user namespace has limits of its own, so that nobody else on this machine is short of watches.
  const sync = rig.launch(rig.arguments(), [
    ...['unshare', '--user', '--map-root-user', 'sh', '-c'],
    `echo ${watches} >/proc/sys/user/max_inotify_watches && exec "$0" "$@"`,
  ]);
  await sync.ready();
  const told = (): string =>
    eventsOf(sync, 'notice')
      .map(({ message }) => message)
      .join('\n');
  await eventually(() => expect(told()).toMatch(/watch|inotify/i), allowed(6_000));
  let longest = 0;
  for (const index of [0, folders / 2, folders - 1]) {
    const began = Date.now();
    rig.write('here', `d${index}/f`, freshContent(60));
    rig.write('here', `d${index}/deep/new`, freshContent(60));
    longest = Math.max(longest, await rig.converged(15_000, began));
  }
  measured(
    task,
    `arrived at most ${longest} ms after; it says: ${
      told()
        .split('\n')
        .find((line) => /watch|inotify/i.test(line)) ?? ''
    }`,
  );
  await rig.verify();
}, 180_000);

it('F21 queue of events full on either side', async ({ task }) => {
  passesWhen(task, 'both sides are in sync within 15 s after');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  rig.write('here', 'first', freshContent());
  await rig.start();
  for (const side of ['here', 'there'] as const) {
    const root = side === 'here' ? rig.here() : rig.remote();
    mkdirSync(`${root}/${side}`);
    writeFileSync(`${root}/${side}/last`, 'before');
    await rig.converged(5_000);
    const pids = side === 'here' ? [rig.sync.child.pid ?? 0] : helperProcesses(rig.root);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    // Two events a time and more than the queue holds, on a few files only.
    for (let event = 0; event < flood / 2; event++)
      writeFileSync(`${root}/${side}/f${event % 300}`, String(event));
    writeFileSync(`${root}/${side}/last`, 'after');
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    measured(task, `${side}: in sync ${await rig.converged(15_000)} ms after`);
  }
  await rig.verify();
}, 180_000);
