import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runProcess } from '../../tests/support/kubectl.ts';
import { conditions } from '../support/machine.ts';
import { median, percentile } from '../support/statistics.ts';
import { until } from './arrival.ts';
import type { SyncBench } from './bench.ts';
import { monotonicMs } from './clock.ts';
import { chooser, edit, gap, nextContent, rawUpEdits } from './edits.ts';
import { profiled } from './profiled.ts';
import { rawUp } from './raw-pipe.ts';
import { duration, noSamples, spread, timeResult } from './told.ts';
import { manyFiles, random, writeFiles } from './trees.ts';

const mebibyte = 1024 * 1024;
const bigBytes = 1024 * mebibyte;
const uploadBytes = 600 * 1_000_000;
const goals = { changedMs: 4000, editMs: 150 };
const smallTree = { count: 1000, bytes: 10 * mebibyte };

/** 4 KiB change in the middle of a gibibyte. */
export const bigFile: SyncBench = {
  name: 'big-file',
  async run({ bed, tools, rounds, profile, signal }) {
    await using stack = new AsyncDisposableStack();
    const rawPair = stack.use(bed.pair('raw'));
    await makeRandomFile(join(rawPair.local, 'big'), bigBytes);
    const before = conditions();
    const samples = noSamples();
    const sent: number[] = [];
    const places = random(13);
    samples.raw.push(await rawUp(bed, rawPair.local, rawPair.remote));
    for (const tool of tools) {
      const pair = stack.use(bed.pair(tool.name));
      await copy(join(rawPair.local, 'big'), join(pair.local, 'big'));
      await using open = await tool.open(bed, pair);
      await using _ = await profiled(open, profile, 'big-file');
      for (let round = 0; round < Math.min(rounds, 3); round++) {
        await gap(signal);
        const sentBefore = (await open.engine?.ask<number>({ kind: 'sent' })) ?? 0;
        const content = nextContent();
        const offset = Math.floor(places() * (bigBytes - content.length));
        const start = monotonicMs();
        const file = openSync(join(pair.local, 'big'), 'r+');
        writeSync(file, content, 0, content.length, offset);
        closeSync(file);
        const arrived = await until(
          'the change in the big file',
          () => partIs(join(pair.there, 'big'), offset, content),
          signal,
        );
        samples[tool.name].push(arrived - start);
        if (open.engine !== undefined)
          sent.push((await open.engine.ask<number>({ kind: 'sent' })) - sentBefore);
        const [here, there] = [await hashOf(join(pair.local, 'big')), await hashOf(join(pair.there, 'big'))];
        if (here !== there) throw new Error('The big file differs');
      }
    }
    return [
      timeResult({
        what: '4 KiB changed in a 1 GiB file: there',
        goal: `≤ ${duration(goals.changedMs)}`,
        samples,
        raw: 'raw tar of it',
        known: 'all sent again',
        note: `${(median(sent) / mebibyte).toFixed(1)} MiB sent`,
        met: median(samples.slipway) <= goals.changedMs,
        conditions: before,
      }),
    ];
  },
};

/** Edits of small files while 600 MB are on their way. */
export const loadedEdit: SyncBench = {
  name: 'loaded-edit',
  async run({ bed, tools, profile, signal }) {
    await using stack = new AsyncDisposableStack();
    const files = manyFiles(smallTree);
    const source = bed.scratch('upload');
    await makeRandomFile(join(source, 'upload'), uploadBytes);
    const before = conditions();
    const samples = noSamples();
    const rawPair = stack.use(bed.pair('raw'));
    let rawMs = 0;
    {
      await using raw = await rawUpEdits(bed, rawPair);
      let over = false;
      const uploading = rawUp(bed, source, `${rawPair.remote}/bulk`).then((ms) => {
        over = true;
        rawMs = ms;
      });
      while (!over) {
        samples.raw.push(await raw.step(signal));
        await gap(signal);
      }
      await uploading;
    }
    let note = '';
    for (const tool of tools) {
      const pair = stack.use(bed.pair(tool.name));
      const choose = chooser(files);
      writeFiles(pair.local, files);
      await using open = await tool.open(bed, pair);
      await using _ = await profiled(open, profile, 'loaded-edit');
      await copy(join(source, 'upload'), join(pair.home, 'upload'));
      const start = monotonicMs();
      renameSync(join(pair.home, 'upload'), join(pair.local, 'upload'));
      const isThere = (): boolean => sizeOf(join(pair.there, 'upload')) === uploadBytes;
      while (!isThere()) {
        samples[tool.name].push(await edit(pair.local, pair.there, choose(), signal));
        await gap(signal);
      }
      if (tool.name === 'slipway')
        note = `the 600 MB took ${duration(monotonicMs() - start)}, a raw tar ${duration(rawMs)}`;
      const [here, there] = [await hashOf(join(source, 'upload')), await hashOf(join(pair.there, 'upload'))];
      if (here !== there) throw new Error('What was uploaded differs');
    }
    return [
      {
        what: '4 KiB edit up while 600 MB upload',
        goal: `p95 ≤ ${goals.editMs} ms`,
        measured: `${spread(samples.slipway)}; ${note}`,
        against: `raw tar in an open exec beside a raw tar of 600 MB: ${spread(samples.raw)}`,
        devspace: samples.devspace.length > 0 ? spread(samples.devspace) : 'seconds',
        met: percentile(samples.slipway, 0.95) <= goals.editMs,
        conditions: before,
      },
    ];
  },
};

async function makeRandomFile(path: string, bytes: number): Promise<void> {
  const { code, stderr } = await runProcess('sh', ['-c', `head -c ${bytes} /dev/urandom > '${path}'`]);
  if (code !== 0) throw new Error(stderr);
}

async function copy(from: string, to: string): Promise<void> {
  const { code, stderr } = await runProcess('cp', ['--reflink=auto', from, to]);
  if (code !== 0) throw new Error(stderr);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: mebibyte }), hash);
  return hash.digest('hex');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function partIs(path: string, offset: number, content: Buffer): boolean {
  if (sizeOf(path) < offset + content.length) return false;
  const file = openSync(path, 'r');
  try {
    const there = Buffer.alloc(content.length);
    readSync(file, there, 0, there.length, offset);
    return there.equals(content);
  } finally {
    closeSync(file);
  }
}
