import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { EMPTY } from 'rxjs';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import type { Extensions } from '../../src/routes/extensions.js';
import { routeTable } from '../../src/http/app.js';
import { createOpenApi, type OpenApiDocument } from '../../src/http/openapi/document.js';
import type { Plugin } from '../../src/plugin/api.js';
import { type HostParts, startPlugins } from '../../src/plugin/host/plugin-host.js';

const FILE = new URL('../../openapi.json', import.meta.url);
const MANIFEST = new URL('../../package.json', import.meta.url);

const never = (): never => {
  throw new Error('Not available while the API is described.');
};
const silent = (): void => undefined;

/** A plugin host without services. */
const DESCRIBING: HostParts = {
  submit: never,
  preview: never,
  users: { find: never, findGroups: never, groupsOf: never, tenant: never },
  connectors: { list: [] },
  recordsOf: () => ({ list: never, find: never }),
  notesOf: () => ({ read: never, write: never, marked: never, unmark: never }),
  collectionOf: never,
  deliveriesOf: () => ({
    list: never,
    find: never,
    redeliver: never,
    recover: never,
    findRecovery: never,
  }),
  actions: { begin: never, end: never, forget: never },
  leases: { take: never, renew: never, release: never },
  jobs: { start: never, find: never, list: never, cancel: never, due: never, update: never },
  instanceId: '',
  secrets: { seal: never, unseal: never },
  metrics: { gauge: silent, counter: () => silent },
  senderFor: () => ({ post: never, get: never, close: () => Promise.resolve() }),
  now: never,
  events: { page: never },
  events$: EMPTY,
  logOf: () => ({ debug: silent, info: silent, warn: silent, error: silent }),
};

/** What plugins add, with the default settings and no services. */
export const describeExtensions = async (
  plugins: readonly Plugin[] = BUILT_IN_PLUGINS,
): Promise<Extensions> => {
  const running = await startPlugins(
    plugins.map((plugin) => ({
      name: plugin.name,
      plugin,
      settings: plugin.settings?.parse({}) ?? {},
    })),
    DESCRIBING,
  );
  await running.stop();
  return running.extensions;
};

/** The document of the core routes and those of these plugins. */
export const describeApi = async (
  plugins: readonly Plugin[] = BUILT_IN_PLUGINS,
): Promise<OpenApiDocument> => {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  const extensions = await describeExtensions(plugins);
  // The handlers are not called, so their dependencies may be missing.
  const parts = { extensions } as unknown as Parameters<typeof routeTable>[0];
  return createOpenApi({ version, routes: routeTable(parts), extensions });
};

/** The text of openapi.json. */
export const writeApi = async (): Promise<string> =>
  `${JSON.stringify(await describeApi(), null, 2)}\n`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(FILE, await writeApi());
}
