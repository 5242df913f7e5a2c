/** Vitest's configuration in `npm run mutation`: tests that need no database. */
export default {
  test: {
    include: ['test/{domain,pipeline}/**/*.test.ts'],
    setupFiles: ['src/process/harden.ts'],
  },
};
