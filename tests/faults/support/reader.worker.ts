// Reads every file of a tree in a loop and tells each that is not one whole content (G2).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { isWhole } from './content.ts';

const { root, watched, only } = workerData as {
  readonly root: string;
  readonly watched: readonly string[];
  readonly only: boolean;
};
const pauseMs = 3;
/** What the app writes before it renames it into place; nobody takes it for a file of the tree. */
const underWay = /\/\.slipway-[^/]*\.tmp$/;
let reads = 0;
let stopped = false;
/** Paths that were there once: for those being watched, being absent is a fault. */
const seen = new Set<string>();
const faults: string[] = [];

parentPort?.on('message', () => {
  stopped = true;
});

while (!stopped) {
  const files = only
    ? []
    : readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  let count = 0;
  for (const path of [
    ...files.map((entry) => join(entry.parentPath, entry.name)),
    ...watched.map((path) => join(root, path)),
  ]) {
    look(path);
    if (++count % 20 === 0) await pause(0);
  }
  await pause(pauseMs);
}
parentPort?.postMessage({ reads, faults });

function look(path: string): void {
  if (underWay.test(path)) return;
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    if (seen.has(path) && watched.some((each) => path === join(root, each))) tell(`${path} was absent`);
    return;
  }
  reads++;
  seen.add(path);
  if (!isWhole(content))
    tell(
      `${path} had ${content.length} bytes: ${JSON.stringify(content.subarray(0, 90).toString('latin1'))}`,
    );
}

function tell(fault: string): void {
  if (faults.length < 20) faults.push(fault);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
