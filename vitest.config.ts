import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most of what they wait for are programs of their own.
    maxWorkers: '100%',
    include: ['{api,pipeline,sql,scripts,fixtures}/**/*.test.ts'],
    globalSetup: './fixtures/database/test-cluster.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
