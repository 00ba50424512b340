import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests often wait for a delay or for a disk.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    include: ['{api,pipeline,sql,scripts,fixtures}/**/*.test.ts'],
    globalSetup: './fixtures/database/test-cluster.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
