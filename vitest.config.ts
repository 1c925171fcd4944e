import { defineConfig } from 'vitest/config';

/** Tests of the whole on the real cluster; `scripts/test.sh` brings it up before. */
const clusterTests = [
  '**/*.cluster.test.ts',
  'tests/e2e/**/*.test.ts',
  'tests/window/**/*.test.ts',
  'tests/faults/**/*.test.ts',
];
/** Many tests wait for other programs or measure time; one that fails is tried once more before it counts. */
const retry = 1;
/** How long a condition that is looked at again and again may take to become true: a busy machine is slow. */
const expect = { poll: { timeout: 10_000 } };
const ignored = ['node_modules/**', 'helper/**', 'assets/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          expect,
          include: ['**/*.test.ts'],
          exclude: [...ignored, ...clusterTests, 'sandbox/**'],
          testTimeout: 30_000,
          retry,
        },
      },
      {
        test: {
          name: 'cluster',
          expect,
          include: ['**/*.cluster.test.ts'],
          exclude: ignored,
          testTimeout: 120_000,
          retry,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          expect,
          include: ['tests/e2e/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 180_000,
          retry,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'window',
          expect,
          include: ['tests/window/**/*.test.ts'],
          exclude: ignored,
          globalSetup: 'tests/window/support/build.ts',
          testTimeout: 240_000,
          retry,
          hookTimeout: 120_000,
        },
      },
      {
        // One after another, on a sandbox of its own: `npm run faults`.
        test: {
          name: 'faults',
          expect,
          include: ['tests/faults/**/*.test.ts'],
          exclude: ignored,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'sandbox',
          expect,
          include: ['sandbox/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
