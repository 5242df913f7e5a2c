import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One mongod for the whole run; each test file creates its own database in it.
    globalSetup: ['test/support/mongod.ts'],
    // The first import of the gateway; tests need the same Object.prototype.
    setupFiles: ['src/process/harden.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Long enough for a busy machine; still finds tests that hang.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // `expect.poll` ends with its test, not after the default of one second.
    expect: { poll: { timeout: 80_000, interval: 20 } },
    reporters: ['default', './test/support/reporter.ts'],
  },
});
