import { parentPort } from 'node:worker_threads';
import type { Entry, Problem } from '../entry.ts';
import type { PathRulesOptions } from '../rules.ts';
import { createPathRules } from '../rules.ts';
import { RootHandle } from './beneath-root.ts';
import { hashPaths } from './hash-paths.ts';
import { scanDisk, wordsOf } from './scan-disk.ts';

/** What the worker is asked; answers carry the same id. */
export type DiskRequest =
  | {
      readonly id: number;
      readonly kind: 'scan';
      readonly root: string;
      readonly below: string;
      readonly rules: PathRulesOptions;
    }
  | { readonly id: number; readonly kind: 'hash'; readonly root: string; readonly paths: readonly string[] };

export type DiskAnswer =
  | {
      readonly id: number;
      readonly kind: 'part';
      readonly entries: readonly (readonly [string, Entry | undefined])[];
    }
  | { readonly id: number; readonly kind: 'end'; readonly problems: readonly Problem[] }
  | { readonly id: number; readonly kind: 'failed'; readonly code: string; readonly message: string };

/** Entries in one message: taking them in keeps the main thread for about two milliseconds. */
const entriesPerPart = 1000;

function answer(message: DiskAnswer): void {
  parentPort?.postMessage(message);
}

function run(request: DiskRequest): void {
  const { id } = request;
  let part: (readonly [string, Entry | undefined])[] = [];
  const problems: Problem[] = [];
  const send = (): void => {
    if (part.length > 0) answer({ id, kind: 'part', entries: part });
    part = [];
  };
  const take = (path: string, entry: Entry | undefined): void => {
    part.push([path, entry]);
    if (part.length >= entriesPerPart) send();
  };
  try {
    if (request.kind === 'scan') {
      const rules = createPathRules(request.rules);
      scanDisk(request.root, request.below, rules, { take, problem: (problem) => problems.push(problem) });
    } else {
      const root = new RootHandle(request.root);
      try {
        hashPaths(root, request.paths, take, (problem) => problems.push(problem));
      } finally {
        root[Symbol.dispose]();
      }
    }
    send();
    answer({ id, kind: 'end', problems });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    answer({ id, kind: 'failed', code, message: wordsOf(error) });
  }
}

parentPort?.on('message', run);
