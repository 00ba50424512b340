import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // A test waits a fifth of its time: for a pause, a timeout, or a program that ends.
    maxWorkers: availableParallelism() + 1,
    // A night takes many buffers: else they alone make V8 collect garbage, which takes a third of the CPU time.
    execArgv: ['--external-memory-accounted-in-global-limit'],
    // Test files share the modules of their process: to load them takes longer than most files.
    isolate: false,
    setupFiles: './fixtures/process/after-file.ts',
    // `npm test` leaves out *.long.test.ts, which `npm run test:long` runs (package.json).
    include: ['{api,pipeline,sql,scripts,fixtures}/**/*.test.ts'],
    globalSetup: './fixtures/database/test-cluster.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
