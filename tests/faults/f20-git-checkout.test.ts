import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { eventually } from '../support/eventually.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally 5,000 files and 20 checkouts. */
const files = 2_000;
const checkouts = 8;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f20', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it(`F20 git checkout of two branches in turn, ${files} files apart, while an editor saves`, async ({
  task,
}) => {
  passesWhen(
    task,
    'the container ends with HEAD and the last edit: nothing came back, nothing is missing, nothing stays held',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.test', ...args], {
      cwd: rig.local,
      encoding: 'utf8',
    });
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(rig.here(path)), { recursive: true });
    writeFileSync(rig.here(path), content);
  };
  git('init', '-q', '-b', 'main');
  write('.gitignore', 'edited\n');
  for (let index = 0; index < files; index++)
    if (index % 3 !== 0) write(`src/m${index % 40}/f${index}`, `main ${index}`);
  git('add', '.');
  git('commit', '-qm', 'main');
  git('checkout', '-qb', 'a');
  // A third of the paths is new, a third is gone, a third has another content.
  for (let index = 0; index < files; index++) {
    if (index % 3 === 1) rmSync(rig.here(`src/m${index % 40}/f${index}`));
    else write(`src/m${index % 40}/f${index}`, `a ${index}`);
  }
  git('add', '-A');
  git('commit', '-qm', 'a');
  await rig.start('--exclude', '.git');
  let saves = 0;
  const editor = setInterval(() => write('edited', `save ${++saves}`), 150);
  for (let turn = 0; turn < checkouts; turn++) {
    git('checkout', '-q', turn % 2 === 0 ? 'main' : 'a');
    await sleep(2_000);
  }
  clearInterval(editor);
  git('checkout', '-q', 'main');
  write('edited', 'the last save');
  const expected = (): Map<string, string> =>
    new Map([...rig.trees[0].read()].filter(([path]) => !path.startsWith('.git/') && path !== '.git'));
  const began = Date.now();
  await eventually(
    () => expect([...rig.trees[1].read()].sort()).toEqual([...expected()].sort()),
    allowed(10_000),
    100,
  );
  measured(
    task,
    `alike ${Date.now() - began} ms after the last of ${checkouts + 1} checkouts, ${saves} saves`,
  );
  expect(git('status', '--porcelain')).toBe('');
  expect(readFileSync(rig.remote('edited'), 'utf8')).toBe('the last save');
  // Where two checkouts follow so fast that most files seem gone for a moment, that may be held until they are back.
  await eventually(() => expect(rig.honesty.current?.message).toBe('in sync'));
  measured(task, `${eventsOf(rig.sync, 'held').length} times held for a moment`);
  expect(eventsOf(rig.sync, 'conflict')).toEqual([]);
  await rig.verify();
}, 180_000);
