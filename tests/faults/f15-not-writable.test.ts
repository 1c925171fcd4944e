import { chmodSync, chownSync, mkdirSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperFolders } from './support/helpers.ts';

const watchMs = 16_000;
const readOnly = {
  pod: { volumes: [{ name: 'data', emptyDir: {} }] },
  container: {
    volumeMounts: [
      { name: 'data', mountPath: '/writable' },
      { name: 'data', mountPath: '/readonly', readOnly: true },
    ],
  },
};

/** An image that holds one program and no shell. */
function bare(namespace: string): unknown {
  const pod = barePod(namespace, 'bare', { image: 'sandbox/static:1' }) as {
    spec: { containers: { command?: unknown }[] };
  };
  for (const container of pod.spec.containers) delete container.command;
  return pod;
}

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f15', (name) => [
    barePod(name, 'user', { image: 'sandbox/nonroot:1' }),
    barePod(name, 'readonly', readOnly),
    bare(name),
  ]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it("F15 subtree that the container's user may not write to", async ({ task }) => {
  passesWhen(
    task,
    'the rest is in sync, the paths that fail are named, and each is tried at most once in 5 s',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'user', honestyEveryMs: 0 });
  chmodSync(rig.remote(), 0o777);
  mkdirSync(rig.remote('locked'));
  writeFileSync(rig.remote('locked/f'), 'theirs');
  mkdirSync(rig.remote('secret'));
  writeFileSync(rig.remote('secret/f'), 'unreadable');
  chmodSync(rig.remote('secret'), 0o700);
  for (let index = 0; index < 20; index++) rig.write('here', `open/f${index}`, freshContent());
  await rig.start();
  rig.write('here', 'locked/f', freshContent());
  rig.write('here', 'locked/new', freshContent());
  rig.write('here', 'open/after', freshContent());
  await eventually(() => expect(readdirSync(rig.remote('open'))).toHaveLength(21));
  const told = (): string =>
    eventsOf(rig.sync, 'notice')
      .map(({ message }) => message)
      .join('\n');
  await eventually(() =>
    expect(['locked/f', 'locked/new', 'secret'].filter((path) => !told().includes(path))).toEqual([]),
  );
  expect(rig.honesty.current?.message).not.toBe('in sync');
  // The helper touches its staging folder for every try.
  const staging = helperFolders(rig.root).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith('staging-'))
      .map((name) => join(folder, name)),
  );
  await sleep(8_000);
  let tries = 0;
  const watcher = watch(staging[0] ?? '', (event) => {
    if (event === 'rename') tries++;
  });
  await sleep(watchMs);
  watcher.close();
  measured(task, `${tries / 2} tries of 2 paths in ${watchMs / 1000} s`);
  // A file under way appears and goes.
  expect(tries / 2).toBeLessThanOrEqual(2 * Math.ceil(watchMs / 5_000));
  chmodSync(rig.remote('locked'), 0o777);
  chownSync(rig.remote('locked/f'), 65532, 65532);
  rig.write('here', 'locked/f', freshContent());
  await eventually(() => expect(readdirSync(rig.remote('locked')).sort()).toEqual(['f', 'new']), 40_000);
  await rig.verify();
});

it('F15 file system of the container read-only', async ({ task }) => {
  passesWhen(task, 'what the container has comes here, what cannot be written is named, and nothing spins');
  await using rig = await FaultRig.open({
    namespace: namespace.name,
    pod: 'readonly',
    remotePath: '/readonly',
    honestyEveryMs: 0,
  });
  writeFileSync(join(rig.root, 'writable/theirs'), freshContent());
  await rig.start();
  rig.write('here', 'mine', freshContent());
  await eventually(() => expect(readdirSync(rig.local).sort()).toEqual(['mine', 'theirs']));
  await eventually(() =>
    expect(
      eventsOf(rig.sync, 'notice')
        .map(({ message }) => message)
        .join('\n'),
    ).toMatch(/mine.*(read-only|EROFS)/i),
  );
  expect(rig.honesty.current?.message).not.toBe('in sync');
  writeFileSync(join(rig.root, 'writable/more'), freshContent());
  await eventually(() => expect(readdirSync(rig.local).sort()).toEqual(['mine', 'more', 'theirs']));
  await rig.verify();
});

it('F15 image without a shell', async ({ task }) => {
  passesWhen(task, 'one precise error says that the image has no shell, and what to do');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'bare' });
  const sync = rig.launch();
  expect(await sync.exited).toBe(1);
  const errors = eventsOf(sync, 'error');
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ code: expect.stringMatching(/no-shell|not-runnable/) as string });
});
