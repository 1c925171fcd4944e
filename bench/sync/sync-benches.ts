import type { SyncBench } from './bench.ts';
import { bigFile, loadedEdit } from './big-file.ts';
import { editLatency } from './edit-latency.ts';
import { firstSync } from './first-sync.ts';
import { helperSize } from './helper-size.ts';
import { idle } from './idle.ts';
import { manyAtOnce } from './many-files.ts';
import { rename } from './rename.ts';
import { treeSize } from './tree-size.ts';

/** In the order of their rows. */
export const syncBenches: readonly SyncBench[] = [
  editLatency,
  treeSize,
  idle,
  firstSync,
  manyAtOnce,
  rename,
  bigFile,
  loadedEdit,
  helperSize,
];
