import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Kube } from '../kube/kube.ts';
import { folderAssets, type HelperAssets } from './assets.ts';
import { injectHelper, type InjectedHelper } from './inject.ts';
import { removeHelper } from './remove.ts';
import { localExec } from './testing/local-exec.ts';

const assets = folderAssets(fileURLToPath(new URL('../../assets/helper', import.meta.url)));
const target = { namespace: 'test', pod: 'test' };
const session = `test-${process.pid}`;

/** An exec whose input cannot be ended, as with older servers. */
function withoutEnd(kube: Pick<Kube, 'exec'>): Pick<Kube, 'exec'> {
  return {
    async exec(where, options) {
      const stream = await kube.exec(where, options);
      return { ...stream, canHalfClose: false, [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose]() };
    },
  };
}

/** An exec as of runtimes that drop the rest of the input once the command has closed its output. */
function droppingInput(kube: Pick<Kube, 'exec'>): Pick<Kube, 'exec'> {
  return {
    async exec(where, options) {
      const stream = await kube.exec(where, options);
      stream.stdout.on('end', () => stream.stdin?.destroy());
      return stream;
    },
  };
}

describe.skipIf(process.platform !== 'linux')('an injected helper', () => {
  let injected: InjectedHelper | undefined;
  afterEach(() => {
    if (injected !== undefined) rmSync(injected.folder, { recursive: true, force: true });
  });
  const inject = async (kube: Pick<Kube, 'exec'>, from: HelperAssets = assets): Promise<InjectedHelper> =>
    (injected = await injectHelper({ kube, target, session, assets: from }));

  it.each([
    ['whose input can be ended', localExec()],
    ['whose input cannot be ended', withoutEnd(localExec())],
    ['that loses input when the output is closed', droppingInput(localExec())],
    ['whose input cannot be ended and is lost when the output is closed', withoutEnd(droppingInput(localExec()))],
  ])('arrives whole over a connection %s', async (_what, kube) => {
    const helper = await inject(kube);
    expect(execFileSync(helper.path, ['version'], { encoding: 'utf8' })).toContain('protocol=1');
    expect(execFileSync('sha256sum', [helper.path], { encoding: 'utf8' })).toContain((await assets.load(helper.architecture))?.sha256);
    expect(await removeHelper({ kube, target, helper })).toEqual({ removed: true, trashFiles: 0, trashBytes: 0 });
    expect(existsSync(helper.folder)).toBe(false);
    expect(await removeHelper({ kube, target, helper })).toMatchObject({ removed: false });
  });

  it('is sent again when what lies there says the right version but is another file', async () => {
    const helper = await inject(localExec());
    writeFileSync(helper.path, `#!/bin/sh\necho "slipway-helper build=fake protocol=1"\n`);
    chmodSync(helper.path, 0o700);
    expect(await inject(localExec())).toEqual({ ...helper, reused: false });
    expect(readFileSync(helper.path)[0]).toBe(0x7f);
    expect(await inject(localExec())).toEqual({ ...helper, reused: true });
  });

  it('is refused where it does not run, with the exit code and the CPU', async () => {
    const crashing = Buffer.from('#!/bin/sh\nkill -SEGV $$\n');
    const broken: HelperAssets = {
      load: () =>
        Promise.resolve({
          content: crashing,
          compressed: gzipSync(crashing),
          sha256: createHash('sha256').update(crashing).digest('hex'),
        }),
    };
    const cpu = process.arch === 'x64' ? 'amd64' : 'arm64';
    await expect(inject(localExec(), broken)).rejects.toMatchObject({
      code: 'helper.not-runnable',
      causeText: expect.stringMatching(new RegExp(`code 139 \\(segmentation fault\\); it is built for ${cpu}`)) as string,
    });
    rmSync(`/tmp/.slipway-${session}`, { recursive: true, force: true });
  });

  it('is not sent to a CPU that it is not built for', async () => {
    const none: HelperAssets = { load: () => Promise.resolve(undefined) };
    await expect(inject(localExec(), none)).rejects.toMatchObject({ code: 'helper.not-runnable' });
    rmSync(`/tmp/.slipway-${session}`, { recursive: true, force: true });
  });
});
