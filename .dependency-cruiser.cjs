/** The house: imports run one way. Each rule says why; `npm run check:imports` holds it. */
const only = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    only(
      'no-cycle',
      'A cycle means that two files are one file; split them along the real seam.',
      {},
      { circular: true },
    ),
    only(
      'domain-is-pure',
      'The rules of the mission run without I/O, clock or randomness, so that a batch can decide again.',
      { path: '^src/domain/' },
      { pathNot: '^src/domain/' },
    ),
    only(
      'pipeline-knows-domain-only',
      'The pipeline outlives any edge and any database: it sees the domain, RxJS and node:crypto.',
      { path: '^src/pipeline/' },
      { pathNot: ['^src/(domain|pipeline)/', 'node_modules/rxjs/', '^crypto$', '^node:crypto$'] },
    ),
    only(
      'api-is-framework-free',
      'A route is data that the edge, OpenAPI and plugins read alike: no express in it.',
      { path: '^src/api/' },
      { pathNot: ['^src/(domain|pipeline|api)/', 'node_modules/zod/'] },
    ),
    only(
      'only-store-names-mongoose',
      'The database is one folder deep: everything else asks for what it needs by an interface.',
      { path: '^(src|plugins|config)/', pathNot: '^src/store/' },
      { path: 'node_modules/(mongoose|mongodb|mongodb-memory-server-core)/' },
    ),
    only(
      'only-http-names-express',
      'Express stays at the edge, so that routes and rules are tested without it.',
      { path: '^(src|plugins|config)/', pathNot: '^src/http/' },
      { path: 'node_modules/(express|helmet|@types/express)/' },
    ),
    only(
      'only-scim-names-scimmy',
      'scimmy is wrapped in one place (its traps are many); http/scim mounts scimmy-routers.',
      { path: '^(src|plugins|config)/', pathNot: '^src/scim/' },
      { path: 'node_modules/scimmy/' },
    ),
    only(
      'only-http-scim-names-scimmy-routers',
      'The router is mounted in one place, behind the guards.',
      { path: '^(src|plugins|config)/', pathNot: '^src/http/scim/' },
      { path: 'node_modules/scimmy-routers/' },
    ),
    only(
      'numbers-are-read-in-one-file',
      'What counts as a phone number is decided once; behind the edge nobody can read one.',
      { path: '^(src|plugins|config)/', pathNot: '^src/http/phone-numbers\\.ts$' },
      { path: 'node_modules/libphonenumber-js/' },
    ),
    only(
      'csv-is-read-by-the-command',
      'Files of the command line; the gateway itself speaks JSON.',
      { path: '^(src|plugins|config)/', pathNot: '^src/cli/' },
      { path: 'node_modules/csv-parse/' },
    ),
    only(
      'rxjs-in-pipeline-and-plugin',
      'Streams live where work flows; elsewhere a promise says it more plainly.',
      { path: '^(src|plugins|config)/', pathNot: '^src/(pipeline|plugin)/' },
      { path: 'node_modules/rxjs/' },
    ),
    only(
      'scim-translates-only',
      'SCIM is a translation to the domain: no HTTP, no database.',
      { path: '^src/scim/' },
      { path: '^src/(http|store|plugin|compose|main|cli)|^plugins/' },
    ),
    only(
      'store-serves-pipeline',
      'The store implements what pipeline and api ask for; it never calls upwards or sideways.',
      { path: '^src/store/' },
      { path: '^src/(http|plugin|scim|compose|main|cli)|^plugins/' },
    ),
    only(
      'http-without-store',
      'The edge reads through interfaces that compose.ts fills.',
      { path: '^src/http/' },
      { path: '^src/(store|plugin|compose|main|cli)|^plugins/' },
    ),
    only(
      'plugin-kit-stands-alone',
      'What extensions see must not drag the house along.',
      { path: '^src/plugin/' },
      { path: '^src/(http|store|scim|compose|main|cli)|^plugins/' },
    ),
    only(
      'plugins-see-the-contract-only',
      'A plugin that reaches inside breaks with every refactoring; src/plugin is the promise.',
      { path: '^plugins/([^/]+)/' },
      { path: ['^src/', '^config/'], pathNot: '^src/(plugin|domain)/' },
    ),
    only(
      'plugins-never-see-each-other',
      'Two plugins that know each other are one plugin.',
      { path: '^plugins/([^/]+)/' },
      { path: '^plugins/([^/]+)/', pathNot: '^plugins/$1/' },
    ),
    only(
      'config-stands-alone',
      'Settings are read before anything else exists.',
      { path: '^config/' },
      { path: '^(src|plugins)/' },
    ),
    only(
      'compose-is-the-only-one-who-knows-everybody',
      'Parts are put together in one file; only starters import it.',
      { path: '^(src|plugins|config)/', pathNot: '^src/(main|cli|serve|compose)\\.ts$' },
      { path: '^src/compose\\.ts$' },
    ),
    only(
      'doctor-only-looks',
      'It looks at what a gateway stands on, also where none runs: it opens nothing that acts, so no edge, pipeline or plugin.',
      { path: '^src/doctor/' },
      {
        path: ['^src/', '^plugins/'],
        pathNot: [
          '^src/(doctor|domain|store|plugin/outbound)/',
          '^src/plugin/(secret-box|within-time)\\.ts$',
          '^src/(local-secrets|open-files|version)\\.ts$',
        ],
      },
    ),
    only(
      'only-the-command-calls-the-doctor',
      'A gateway judges itself by /readyz; what looks from outside must not be needed inside.',
      { path: '^(src|plugins|config)/', pathNot: '^src/(doctor|cli)/' },
      { path: '^src/doctor/' },
    ),
    only(
      'cli-speaks-http',
      "The command is a client of the operators' API like any other: what it can do, everybody can.",
      { path: '^src/cli(/|\\.ts$)' },
      { path: '^src/(api|http|pipeline|plugin|scim|store)/|^src/(compose|main)\\.ts$' },
    ),
    only(
      'nothing-imports-cli',
      'The gateway runs without the command; what both need belongs below them.',
      { path: '^(src|plugins|config)/', pathNot: '^src/cli(/|\\.ts$)' },
      { path: '^src/cli(/|\\.ts$)' },
    ),
    only(
      'nothing-imports-tests',
      'Product code that needs a test helper has found a missing piece of the product.',
      { path: '^(src|plugins|config)/' },
      { path: '^(test|bench|scripts)/' },
    ),
    only(
      'nothing-unresolvable',
      'An import that resolves to nothing fails at the user, not here.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
