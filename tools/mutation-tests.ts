const include = JSON.parse(process.env['MUTATION_TESTS'] ?? '[]') as readonly string[];
/** See vitest.config.ts. */
const withMongod = include.some((pattern) =>
  /\b(cli|client|doctor|http|journeys|store)\//.test(pattern),
);

/** Vitest's configuration in `npm run mutation`. */
export default {
  test: {
    include,
    // Each mutant would repeat many histories.
    exclude: ['test/**/{model,lives}.property.test.ts', 'test/**/*.system.test.ts'],
    setupFiles: ['src/process/harden.ts', 'test/support/seed-properties.ts'],
    globalSetup: withMongod ? ['test/support/mongod.ts'] : [],
    // Changes are made while a module is loaded; see vitest.config.ts.
    isolate: false,
    // As in vitest.config.ts, for a busy machine; Stryker ends mutants that hang.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
};
