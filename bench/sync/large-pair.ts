import { setTimeout as sleep } from 'node:timers/promises';
import type { Bed, BenchPair } from './bed.ts';
import { openQuestion, startEngine, type Resources } from './engine-questions.ts';
import type { AskedProcess } from '../support/children.ts';
import { manyFiles, writeFiles, type ExpectedFile } from './trees.ts';

export const largeCount = 100_000;

/** A pair of 100,000 files, in sync. */
export interface LargePair extends AsyncDisposable {
  readonly pair: BenchPair;
  readonly files: readonly ExpectedFile[];
  readonly engine: AskedProcess;
  /** The process before anything was opened. */
  readonly base: Resources;
}

export async function openLargePair(bed: Bed): Promise<LargePair> {
  await using stack = new AsyncDisposableStack();
  const pair = stack.use(bed.pair('large'));
  const files = manyFiles({ count: largeCount, bytes: largeCount * 1024, seed: 3 });
  writeFiles(pair.local, files);
  const engine = stack.use(startEngine(pair));
  const base = await engine.ask<Resources>({ kind: 'resources' });
  await engine.ask(openQuestion(bed, pair));
  stack.defer(async () => {
    await engine.ask({ kind: 'close' });
  });
  await sleep(1000);
  const owned = stack.move();
  return { pair, files, engine, base, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
