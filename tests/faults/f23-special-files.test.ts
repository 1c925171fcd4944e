import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f23', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

for (const side of ['here', 'there'] as const) {
  it(`F23 links, pipes, sockets and devices ${side === 'here' ? 'on the laptop' : 'in the container'}`, async ({
    task,
  }) => {
    passesWhen(
      task,
      'links within stay links, what leads out or is no file is named and not read or followed, and nothing hangs',
    );
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
    const [own, other] = side === 'here' ? [rig.local, rig.remote()] : [rig.remote(), rig.local];
    const [at, there] = [(path: string) => join(own, path), (path: string) => join(other, path)];
    rig.write(side, 'dir/file', freshContent());
    rig.write(side, 'file', freshContent());
    symlinkSync('file', at('inside'));
    symlinkSync('dir', at('folder'));
    symlinkSync('loop2', at('loop1'));
    symlinkSync('loop1', at('loop2'));
    symlinkSync('nowhere', at('dangling'));
    symlinkSync('.', at('itself'));
    symlinkSync('/etc/passwd', at('absolute'));
    symlinkSync('../../../../../../etc/passwd', at('climbing'));
    symlinkSync(`../${own.split('/').at(-1)}-sibling`, at('prefixed'));
    linkSync(at('file'), at('hard'));
    execFileSync('mkfifo', [at('pipe')]);
    execFileSync('mknod', [at('device'), 'c', '1', '3']);
    execFileSync('python3', [
      '-c',
      'import os,socket,sys; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind("socket")',
      own,
    ]);
    await rig.start();
    const told = (): string =>
      eventsOf(rig.sync, 'notice')
        .map(({ message }) => message)
        .join('\n');
    const check = (): void => {
      expect(readlinkSync(there('inside'))).toBe('file');
      expect(readlinkSync(there('folder'))).toBe('dir');
      expect(readlinkSync(there('dangling'))).toBe('nowhere');
      expect(readFileSync(there('hard'))).toEqual(readFileSync(at('file')));
      for (const name of ['pipe', 'device', 'socket'])
        expect([name, existsSync(there(name))]).toEqual([name, false]);
      for (const name of ['pipe', 'device', 'socket', 'absolute', 'climbing'])
        expect([name, told().includes(name)]).toEqual([name, true]);
    };
    await eventually(check);
    if (side === 'there') {
      for (const name of ['absolute', 'climbing', 'prefixed'])
        expect([name, lstatSync(there(name), { throwIfNoEntry: false })]).toEqual([name, undefined]);
    }
    // Written through a link that is a folder on the other side: it arrives in the folder, never outside.
    rig.write(side, 'dir/more', freshContent());
    await eventually(() => expect(readFileSync(there('dir/more'))).toEqual(readFileSync(at('dir/more'))));
    // A folder in the place of a link that led out on the other side.
    unlinkSync(at('prefixed'));
    mkdirSync(at('prefixed'));
    rig.write(side, 'prefixed/canary', freshContent());
    await eventually(() =>
      expect(readFileSync(there('prefixed/canary'))).toEqual(readFileSync(at('prefixed/canary'))),
    );
    expect(readFileSync(join(`${other}-sibling`, 'canary'), 'utf8')).toBe('sings');
    await sleep(300);
    expect(lstatSync(at('loop1')).isSymbolicLink()).toBe(true);
    await rig.verify();
  });
}
