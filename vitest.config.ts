import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** In these folders, tests may use a database; elsewhere they run in memory. */
const GATEWAY = 'test/{cli,client,doctor,http,journeys,store}/**/*.test.ts';
const SYSTEM = 'test/**/*.system.test.ts';
const PROPERTIES = 'test/**/*.property.test.ts';

/** One mongod for the whole run of a project; each test file creates its own database in it. */
const withMongod = { globalSetup: ['test/support/mongod.ts'], pool: 'forks' as const };

export default defineConfig({
  // The dashboard imports the client as users of the package do; from source, it needs no build.
  resolve: {
    alias: { 'rollgate/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)) },
  },
  test: {
    // The first import of the gateway; tests need the same Object.prototype.
    setupFiles: ['src/process/harden.ts', 'test/support/seed-properties.ts'],
    maxWorkers: 2,
    // Long enough for a busy machine; still finds tests that hang.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // `expect.poll` ends with its test, not after the default of one second.
    expect: { poll: { timeout: 80_000, interval: 20 } },
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [GATEWAY, SYSTEM],
          // Processes, not threads: `cpuMs` counts the CPU time of a whole process.
          pool: 'forks',
          // Files of a worker share the modules of the product, which take long to load.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'gateway',
          include: [GATEWAY],
          exclude: [SYSTEM],
          ...withMongod,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: [SYSTEM, PROPERTIES],
          ...withMongod,
          provide: { hasAllPropertyRuns: true },
        },
      },
      {
        extends: true,
        test: {
          name: 'pictures',
          include: ['test/dashboard/pictures.ts'],
          ...withMongod,
          env: { DASHBOARD_PICTURES: 'docs/images' },
        },
      },
    ],
  },
});
