/** Imports go in one direction. Each rule states its reason; `npm run check:imports` enforces them. */
const only = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    only(
      'no-cycle',
      'Files in a cycle cannot be understood or tested separately.',
      {},
      { circular: true },
    ),
    only(
      'domain-is-pure',
      'Domain rules use no I/O, clock or randomness, so that a batch can be decided again.',
      { path: '^src/domain/' },
      { pathNot: '^src/domain/' },
    ),
    only(
      'pipeline-imports-domain-only',
      'The pipeline is independent of HTTP and database: it uses the domain, RxJS, lru-cache and node:crypto.',
      { path: '^src/pipeline/' },
      {
        pathNot: [
          '^src/(domain|pipeline)/',
          'node_modules/(rxjs|lru-cache)/',
          '^crypto$',
          '^node:crypto$',
        ],
      },
    ),
    only(
      'ports-are-interfaces',
      'Store, edge and plugins share what these interfaces say, and nothing else.',
      { path: '^src/ports/' },
      { pathNot: '^src/(domain|pipeline|ports)/' },
    ),
    only(
      'routes-are-framework-free',
      'Routes are data that the edge, OpenAPI and plugins read, so they must not depend on express.',
      { path: '^src/routes/' },
      { pathNot: ['^src/(domain|pipeline|ports|routes)/', 'node_modules/zod/'] },
    ),
    only(
      'explanations-are-pure',
      'Rules and their sentences take facts that the edge has read: no I/O, clock or HTTP.',
      { path: '^src/explain/' },
      { pathNot: ['^src/(domain|pipeline|ports|routes|explain)/', 'node_modules/zod/'] },
    ),
    only(
      'only-store-imports-mongoose',
      'Only the store accesses the database; other code uses its interfaces.',
      { path: '^(src|plugins|config)/', pathNot: '^src/store/' },
      { path: 'node_modules/(mongoose|mongodb|mongodb-memory-server-core)/' },
    ),
    only(
      'only-one-file-imports-mongoose',
      'It creates collections and indexes; documents and queries use the driver (decision 0006).',
      { path: '^src/', pathNot: '^src/store/tables/create-collections\\.ts$' },
      { path: 'node_modules/mongoose/' },
    ),
    only(
      'only-http-imports-express',
      'Express is used only at the edge, so that routes and rules can be tested without it.',
      { path: '^(src|plugins|config)/', pathNot: '^src/http/' },
      { path: 'node_modules/(express|helmet|@types/express)/' },
    ),
    only(
      'only-scim-imports-scimmy',
      'scimmy is wrapped in one folder because of its known bugs; http/scim mounts scimmy-routers.',
      { path: '^(src|plugins|config)/', pathNot: '^src/scim/' },
      { path: 'node_modules/scimmy/' },
    ),
    only(
      'only-http-scim-imports-scimmy-routers',
      'The router is mounted in one place, behind authentication and validation.',
      { path: '^(src|plugins|config)/', pathNot: '^src/http/scim/' },
      { path: 'node_modules/scimmy-routers/' },
    ),
    only(
      'phone-numbers-are-parsed-in-one-file',
      'Phone numbers are validated in one place and encrypted behind the edge.',
      { path: '^(src|plugins|config)/', pathNot: '^src/sms/phone-numbers\\.ts$' },
      { path: 'node_modules/libphonenumber-js/' },
    ),
    only(
      'only-one-file-imports-openid-client',
      'It is installed only where operators sign in with OpenID; the edge uses an interface.',
      { path: '^(src|plugins|config)/', pathNot: '^src/start/openid-provider\\.ts$' },
      { path: 'node_modules/(openid-client|oauth4webapi|jose)/' },
    ),
    only(
      'only-csv-imports-csv-parse',
      'Files of any length are read by one connector; the gateway reads bodies with csvRows.',
      { path: '^(src|plugins|connectors|config)/', pathNot: '^connectors/csv/' },
      { path: 'node_modules/csv-parse/' },
    ),
    only(
      'only-pipeline-and-plugin-import-rxjs',
      'Streams are used for the pipeline and deliveries; elsewhere, promises are simpler.',
      { path: '^(src|plugins|config)/', pathNot: '^src/(pipeline|plugin)/' },
      { path: 'node_modules/rxjs/' },
    ),
    only(
      'only-http-imports-scim',
      'SCIM is one interface among others: a command means the same whichever interface it came through.',
      { path: '^(src|plugins|connectors|config)/', pathNot: '^src/(http|scim)/' },
      { path: '^src/scim/' },
    ),
    only(
      'scim-is-a-translation',
      'SCIM translates to and from the domain, without HTTP or database.',
      { path: '^src/scim/' },
      { path: '^src/(http|store|plugin|start|main|cli)|^plugins/' },
    ),
    only(
      'secrets-below-store',
      'A gateway reads its secrets and limits before it opens the store.',
      { path: '^src/(secrets|sms|process)/' },
      { path: '^src/(http|plugin|scim|store|start|main|cli)|^plugins/' },
    ),
    only(
      'store-below-edge',
      'The store implements interfaces of pipeline and ports; it imports nothing above or beside it.',
      { path: '^src/store/' },
      { path: '^src/(http|plugin|scim|start|main|cli)|^plugins/' },
    ),
    only(
      'http-without-store',
      'The edge reads through interfaces; start/compose.ts provides their implementations.',
      { path: '^src/http/' },
      { path: '^src/(store|plugin|start|main|cli)(/|\\.ts$)|^plugins/' },
    ),
    only(
      'plugin-kit-stands-alone',
      'Extensions must not depend on the rest of the gateway.',
      { path: '^src/plugin/' },
      { path: '^src/(http|store|scim|start|main|cli)|^plugins/' },
    ),
    only(
      'extensions-import-the-contract-only',
      'An extension that imports internals breaks with every refactoring; api.ts is the stable contract, and the client that of the API.',
      // The template imports the published package, with its test kit.
      {
        path: '^(plugins|connectors|examples)/[^/]+/',
        pathNot: '^(connectors|examples)/template/',
      },
      { path: ['^src/', '^config/'], pathNot: '^src/(plugin/(connectors-)?api\\.ts$|client/)' },
    ),
    only(
      'only-the-connectors-plugin-runs-connectors',
      'What one plugin is given is not part of the contract of all.',
      { path: '^(src|plugins|connectors|examples|config)/', pathNot: '^plugins/connectors/' },
      { path: '^src/plugin/connectors-api\\.ts$' },
    ),
    only(
      'extension-lists-import-the-contract-only',
      'The list names the built-in extensions; their code is in their folders.',
      { path: '^(plugins|connectors)/[^/]+\\.ts$' },
      { path: ['^src/', '^config/'], pathNot: '^src/plugin/api\\.ts$' },
    ),
    only(
      'extensions-are-independent',
      'Extensions must work without each other; connectors may be configurations of `rest`, which reads CSV as `csv` does, and share the kit for directories.',
      { path: '^(plugins|connectors|examples)/([^/]+)/' },
      {
        path: '^(plugins|connectors|examples)/',
        pathNot: [
          '^$1/$2/',
          '^connectors/(rest/(start-rest|employments)|csv/read-rows|directory/[^/]+)\\.ts$',
        ],
      },
    ),
    only(
      'dashboard-app-is-an-api-client',
      'The dashboard runs in browsers and uses the documented API only, by the published client, so other clients can do the same.',
      { path: '^plugins/dashboard/app/' },
      {
        pathNot: [
          '^plugins/dashboard/app/',
          '^src/client/index\\.ts$',
          'node_modules/(preact|@preact/signals|wouter-preact|uplot|@picocss/pico)/',
        ],
      },
    ),
    only(
      'nothing-imports-the-dashboard-app',
      'It is bundled for browsers; the gateway serves it as files.',
      { pathNot: '^plugins/dashboard/app/' },
      { path: '^plugins/dashboard/app/' },
    ),
    only(
      'client-stands-alone',
      'The client is published and runs in browsers: it uses the platform only.',
      { path: '^src/client/' },
      { pathNot: '^src/client/' },
    ),
    only(
      'nothing-imports-the-test-kit',
      'The test kit is for tests of extensions, not for the product.',
      {
        path: '^(src|plugins|connectors|examples|config)/',
        pathNot: '^(src/plugin/testing|(connectors|examples)/template/)',
      },
      { path: '^src/plugin/testing' },
    ),
    only(
      'config-stands-alone',
      'Settings are read before anything else starts.',
      { path: '^config/' },
      { path: '^(src|plugins)/' },
    ),
    only(
      'only-starters-import-compose',
      'The parts are wired in one folder, which only the entry points import.',
      { path: '^(src|plugins|config)/', pathNot: '^src/((main|cli)\\.ts$|start/)' },
      { path: '^src/start/(compose|start-core|build-edge)\\.ts$' },
    ),
    only(
      'doctor-is-read-only',
      'The doctor checks the dependencies of a gateway, even if none is running, and changes nothing: it imports no edge, pipeline or plugin.',
      { path: '^src/doctor/' },
      {
        path: ['^src/', '^plugins/'],
        pathNot: [
          '^src/(doctor|domain|process|store|plugin/outbound)/',
          '^src/plugin/(host/secret-box|contract/doctor-check)\\.ts$',
          '^src/secrets/local-secrets\\.ts$',
        ],
      },
    ),
    only(
      'only-cli-imports-doctor',
      'A gateway reports its own state by /readyz and must not depend on checks from outside.',
      { path: '^(src|plugins|config)/', pathNot: '^src/(doctor|cli)/' },
      { path: '^src/doctor/' },
    ),
    only(
      'cli-is-an-http-client',
      "The command line is an ordinary client of the operators' API, so other clients can do the same.",
      { path: '^src/cli(/|\\.ts$)' },
      {
        path: '^src/(ports|routes|http|pipeline|plugin|scim|store)/|^src/(start/compose|main)\\.ts$',
      },
    ),
    only(
      'nothing-imports-cli',
      'The gateway runs without the command line; shared code belongs below both.',
      { path: '^(src|plugins|config)/', pathNot: '^src/cli(/|\\.ts$)' },
      { path: '^src/cli(/|\\.ts$)' },
    ),
    only(
      'product-imports-no-tools',
      'If product code needs a test helper, the helper belongs in the product.',
      { path: '^(src|plugins|config)/' },
      { path: '^(test|tools|examples)/' },
    ),
    only(
      'shared-tools-import-product-only',
      'Tests and tools share it; it must not depend on any of them.',
      { path: '^tools/shared/' },
      { path: '^(test|tools|examples)/', pathNot: '^tools/shared/' },
    ),
    only(
      'programs-stand-alone',
      'Each tool is a separate program; code that several need belongs in tools/shared.',
      { path: '^tools/(?!shared/)([^/]+)/' },
      { path: '^(test|tools|examples)/', pathNot: '^tools/(shared|$1)/' },
    ),
    only(
      'examples-import-the-contract-only',
      'An example shows what an extension outside this repository can do.',
      { path: '^examples/' },
      { path: '^(src|plugins|config|test|tools)/', pathNot: '^src/plugin/' },
    ),
    only(
      'benchmarked-peers-stand-alone',
      'A peer that shares code with the gateway is no comparison.',
      { path: '^tools/bench/peers/' },
      {
        path: ['^(src|plugins|config|tools/shared)/', '^tools/bench/'],
        pathNot: '^tools/bench/(peers|load)/',
      },
    ),
    only(
      'nothing-unresolvable',
      'An unresolvable import would fail only at runtime.',
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
