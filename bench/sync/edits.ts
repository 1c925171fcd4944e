import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AsyncStep } from './rounds.ts';
import { contentArrives } from './arrival.ts';
import type { Bed, BenchPair } from './bed.ts';
import { monotonicMs } from './clock.ts';
import { RawShell, RawUpStream } from './raw-pipe.ts';
import { random, textOf, type ExpectedFile } from './trees.ts';

export const editBytes = 4096;
/** Between two edits, chosen anew each time. */
const gapMs = { least: 40, most: 240 };

const gaps = random(11);

export function gap(signal: AbortSignal): Promise<void> {
  return sleep(gapMs.least + gaps() * (gapMs.most - gapMs.least), undefined, { signal });
}

let version = 0;

/** A content that was never there before. */
export function nextContent(): Buffer {
  return textOf(900_000_000 + version++, editBytes);
}

/** Writes a file on one side as an editor that does not care does, and waits for it on the other; milliseconds. */
export async function edit(
  from: string,
  to: string,
  file: ExpectedFile,
  signal: AbortSignal,
): Promise<number> {
  const content = nextContent();
  const start = monotonicMs();
  writeFileSync(join(from, file.path), content);
  return (await contentArrives(join(to, file.path), content, signal)) - start;
}

/** One of the files, another one each time. */
export function chooser(files: readonly ExpectedFile[]): () => ExpectedFile {
  const next = random(5);
  return () => {
    const file = files[Math.floor(next() * files.length)];
    if (file === undefined) throw new Error('There is no file to edit');
    return file;
  };
}

export interface RawEdits extends AsyncDisposable {
  readonly step: AsyncStep;
}

/** The same bytes through a tar that is open all the time. */
export async function rawUpEdits(bed: Bed, pair: BenchPair): Promise<RawEdits> {
  const stream = await RawUpStream.open(bed, pair.remote);
  return {
    step: async (signal) => {
      const content = nextContent();
      const start = monotonicMs();
      stream.send('edited', content);
      return (await contentArrives(join(pair.there, 'edited'), content, signal)) - start;
    },
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  };
}

/** The same bytes through a tar that a shell which is open all the time starts when it is asked. */
export async function rawDownEdits(bed: Bed, pair: BenchPair): Promise<RawEdits> {
  const shell = await RawShell.open(bed);
  return {
    step: async () => {
      writeFileSync(join(pair.there, 'edited'), nextContent());
      return shell.run(`tar cf - -C '${pair.remote}' edited`);
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
