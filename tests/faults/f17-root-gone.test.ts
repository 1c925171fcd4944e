import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerPid } from '../../sandbox/client.ts';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import type { SideName } from './support/ledger.ts';
import type { Tree } from './support/tree-model.ts';

/** Long enough for a deletion to be carried over, if one were. */
const quietMs = 1_500;
const files = 60;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f17', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

interface Loss {
  readonly what: string;
  readonly lose: (root: string, mounts: Mounts) => void;
  /** Absent where the hold's own choices are the way back. */
  readonly undo?: (root: string, mounts: Mounts) => void;
}

/** Mounts over a folder where its side lives. */
interface Mounts extends Disposable {
  readonly mount: () => void;
  readonly unmount: () => void;
}

const losses: readonly Loss[] = [
  {
    what: 'renamed',
    lose: (root) => renameSync(root, `${root}.away`),
    undo: (root) => renameSync(`${root}.away`, root),
  },
  {
    what: 'deleted',
    lose: (root) => {
      execFileSync('cp', ['-a', root, `${root}.copy`]);
      rmSync(root, { recursive: true });
    },
    undo: (root) => renameSync(`${root}.copy`, root),
  },
  {
    what: 'replaced by a file',
    lose: (root) => {
      renameSync(root, `${root}.away`);
      writeFileSync(root, 'a file');
    },
    undo: (root) => {
      rmSync(root);
      renameSync(`${root}.away`, root);
    },
  },
  {
    what: 'emptied',
    lose: (root) => readdirSync(root).forEach((name) => rmSync(join(root, name), { recursive: true })),
  },
  { what: 'mounted over', lose: (_root, { mount }) => mount(), undo: (_root, { unmount }) => unmount() },
];

for (const side of ['here', 'there'] as const) {
  describe(`F17 root ${side === 'here' ? 'on the laptop' : 'in the container'}`, () => {
    for (const loss of losses) {
      it(`F17 root ${side === 'here' ? 'on the laptop' : 'in the container'} ${loss.what}`, async ({
        task,
      }) => {
        passesWhen(
          task,
          'it halts or says that the root is another one within 6 s, nothing is deleted on the other side, and it goes on when the root is back',
        );
        await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work' });
        for (let index = 0; index < files; index++)
          rig.write('here', `d${index % 6}/f${index}`, freshContent());
        await rig.start();
        await rig.converged(5_000);
        const root = side === 'here' ? rig.local : rig.remote();
        const other = rig.trees[side === 'here' ? 1 : 0];
        const before = other.read();
        const mounts = mountsOf(rig, side, root);
        using _mounted = mounts;
        const since = Date.now();
        const events = rig.sync.events.length;
        loss.lose(root, mounts);
        const halted = (): void => {
          const held = eventsOf(rig.sync, 'held', events);
          // A root that is another one by now is no empty one: what is missing in it is brought back.
          const another = eventsOf(rig.sync, 'notice', events).some(({ message }) =>
            /is another one/.test(message),
          );
          const paused = rig.honesty.find(
            since,
            ({ state }) => state === 'paused' || state === 'reconnecting',
          );
          expect(held.length > 0 || paused !== undefined || another).toBe(true);
          for (const { choices } of held) expect(choices).toContain('restore');
        };
        await eventually(halted, allowed(6_000));
        await sleep(quietMs);
        expect(missing(before, other.read())).toEqual([]);
        if (rig.honesty.current?.message === 'in sync')
          await eventually(() => expect(rig.differences()).toEqual([]), 5_000);
        if (loss.undo !== undefined) {
          loss.undo(root, mounts);
          await rig.converged(15_000);
          expect(missing(before, other.read())).toEqual([]);
          rig.write('here', 'after', freshContent());
          rig.write('there', 'after too', freshContent());
          await rig.converged(5_000);
        }
        await rig.verify();
      });
    }
  });
}

function missing(before: Tree, now: Tree): string[] {
  return [...before.keys()].filter((path) => now.get(path) !== before.get(path));
}

function mountsOf(rig: FaultRig, side: SideName, root: string): Mounts {
  const inContainer = side === 'there';
  const pid = inContainer ? String(containerPid(namespace.name, 'work', 'main')) : '';
  const run = (...command: string[]): void => {
    if (inContainer) execFileSync('nsenter', ['-t', pid, '-m', '--', ...command]);
    else execFileSync(command[0] ?? '', command.slice(1));
  };
  const place = inContainer ? rig.remotePath : root;
  let mounted = false;
  const unmount = (): void => {
    if (mounted) run('umount', '-l', place);
    mounted = false;
  };
  return {
    mount: () => {
      run('mount', '-t', 'tmpfs', 'tmpfs', place);
      mounted = true;
    },
    unmount,
    [Symbol.dispose]: unmount,
  };
}
