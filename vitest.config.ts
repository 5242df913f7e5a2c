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
    // `expect.poll` ends with its test, not after the default of one second.
    expect: { poll: { timeout: 80_000, interval: 20 } },
    reporters: ['default', './test/support/reporter.ts'],
  },
});
