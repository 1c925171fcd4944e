import { defineConfig } from 'vitest/config';

/** Tests of the whole on the real cluster; `scripts/test.sh` brings it up before. */
const clusterTests = ['**/*.cluster.test.ts', 'tests/e2e/**/*.test.ts'];
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
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: ignored,
          testTimeout: 180_000,
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
