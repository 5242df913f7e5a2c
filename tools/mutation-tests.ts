/** Vitest's configuration in `npm run mutation`: tests that need no database. */
export default {
  test: {
    include: ['test/{domain,pipeline}/**/*.test.ts'],
    // Each mutant would repeat many histories.
    exclude: ['test/**/*.property.test.ts'],
    setupFiles: ['src/process/harden.ts'],
    // As in vitest.config.ts, for a busy machine; Stryker ends mutants that hang.
    testTimeout: 90_000,
  },
};
