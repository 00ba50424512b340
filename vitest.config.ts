import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Vitest runs one worker more than the machine has processors, because tests wait during a fifth of their time.
    maxWorkers: availableParallelism() + 1,
    // The option makes V8 count buffers of nights in its limit: otherwise garbage collection takes a third of the CPU.
    execArgv: ['--external-memory-accounted-in-global-limit'],
    // Test files share the loaded modules of their process, because loading them takes longer than most test files.
    isolate: false,
    setupFiles: './fixtures/process/after-file.ts',
    // `npm test` excludes the files *.long.test.ts, which `npm run test:long` runs (package.json).
    include: ['{api,pipeline,sql,scripts,fixtures}/**/*.test.ts'],
    globalSetup: './fixtures/database/test-cluster.ts',
    // A machine under load may need long for what a test polls; by default, Vitest polls for a second.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
