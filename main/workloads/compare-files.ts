import type { FileCount, FlightPlan } from '../../contract/workloads.ts';
import type { Strategy } from '../sync/strategy.ts';

type Compared = Omit<Extract<FlightPlan['files']['container'], { kind: 'compared' }>, 'kind' | 'basis'>;

/** Paths that are named as examples. */
const maximumExamples = 8;

/** What a first sync would do with the files of both sides, judged by name and size alone. */
export function compareFiles(
  local: ReadonlyMap<string, number>,
  container: ReadonlyMap<string, number>,
  strategy: Strategy,
): Compared {
  const tallies = {
    upload: tally(),
    overwriteInContainer: tally(),
    deleteInContainer: tally(),
    download: tally(),
    overwriteHere: tally(),
    deleteHere: tally(),
    undecided: tally(),
  };
  let same = 0;
  for (const [path, size] of local) {
    const there = container.get(path);
    if (there === undefined) {
      const step = localOnly(strategy);
      if (step !== undefined) add(tallies[step], path, size);
    } else if (there === size) same += 1;
    else {
      const step = differing(strategy);
      add(tallies[step], path, step === 'overwriteInContainer' ? size : there);
    }
  }
  for (const [path, size] of container) {
    if (local.has(path)) continue;
    const step = containerOnly(strategy);
    if (step !== undefined) add(tallies[step], path, size);
  }
  return { ...tallies, same };
}

type Step = keyof Omit<Compared, 'same'>;

function localOnly(strategy: Strategy): Step | undefined {
  if (strategy === 'disabled') return undefined;
  return strategy === 'mirrorRemote' ? 'deleteHere' : 'upload';
}

function containerOnly(strategy: Strategy): Step | undefined {
  if (strategy === 'disabled') return undefined;
  return strategy === 'mirrorLocal' ? 'deleteInContainer' : 'download';
}

function differing(strategy: Strategy): Step {
  switch (strategy) {
    case 'preferLocal':
    case 'mirrorLocal':
      return 'overwriteInContainer';
    case 'preferRemote':
    case 'mirrorRemote':
      return 'overwriteHere';
    case 'preferNewest':
    case 'keepAll':
    case 'disabled':
      return 'undecided';
  }
}

interface Tally {
  files: number;
  bytes: number;
  readonly examples: string[];
}

function tally(): Tally {
  return { files: 0, bytes: 0, examples: [] };
}

function add(count: Tally, path: string, bytes: number): void {
  count.files += 1;
  count.bytes += bytes;
  if (count.examples.length < maximumExamples) count.examples.push(path);
}

/** All files of one side. */
export function countFiles(files: ReadonlyMap<string, number>): FileCount {
  const all = tally();
  for (const [path, size] of files) add(all, path, size);
  return all;
}
