import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One mongod for the whole run; each test file makes its own database in it.
    globalSetup: ['test/support/mongod.ts'],
    // The product's first import; tests must see the same Object.prototype.
    setupFiles: ['src/harden.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Long, for a busy machine: what hangs is found all the same.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/support/reporter.ts'],
  },
});
