import { defineConfig } from 'vitest/config';

/** Tests of the whole on the real cluster; `scripts/test.sh` brings it up before. */
const clusterTests = ['**/*.cluster.test.ts', 'tests/e2e/**/*.test.ts'];
/** Tests on the cluster wait for other programs; one that fails is tried once more before it counts. */
const clusterRetries = 1;
const ignored = ['node_modules/**', 'helper/**', 'assets/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...ignored, ...clusterTests, 'sandbox/**'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['**/*.cluster.test.ts'],
          exclude: ignored,
          testTimeout: 120_000,
          retry: clusterRetries,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 180_000,
          retry: clusterRetries,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['sandbox/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
