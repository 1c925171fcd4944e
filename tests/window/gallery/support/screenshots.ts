// Compares the pictures of the window with those that are kept; `--update` keeps those of now instead.
import { spawnSync } from 'node:child_process';

const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'window',
  'tests/window/gallery/pictures.test.ts',
];
const { status } = spawnSync(process.execPath, args, {
  stdio: 'inherit',
  env: { ...process.env, ...(process.argv.includes('--update') ? { SLIPWAY_TEST_UPDATE: '1' } : {}) },
});
process.exitCode = status ?? 1;
