import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { EMPTY } from 'rxjs';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { EVENT_SHAPES } from '../../src/api/event-shapes.js';
import type { Route } from '../../src/api/route.js';
import { routeTable } from '../../src/http/app.js';
import { makeOpenApi, type OpenApiDocument } from '../../src/http/openapi/document.js';
import { newId } from '../../src/pipeline/new-id.js';
import type { Plugin, PluginHost } from '../../src/plugin/index.js';

const FILE = new URL('../../openapi.json', import.meta.url);
const MANIFEST = new URL('../../package.json', import.meta.url);

const never = (): never => {
  throw new Error('Nothing runs while the API is only described.');
};
const silent = (): void => undefined;

/** A host that gives a plugin its default settings and nothing to work with. */
const describingHost = (plugin: Plugin): PluginHost => ({
  settings: plugin.settings.parse({}),
  log: { debug: silent, info: silent, warn: silent, error: silent },
  records: { list: never, find: never, change: never },
  notes: { read: never, write: never, marked: never, unmark: never },
  deliveries: {
    list: never,
    find: never,
    redeliver: never,
    recover: never,
    findRecovery: never,
  },
  actions: { once: never },
  secrets: { seal: never, unseal: never },
  http: { post: never },
  metrics: { gauge: silent, counter: () => silent },
  events$: EMPTY,
  newId,
  now: never,
});

const routesOf = async (plugin: Plugin): Promise<readonly Route[]> => {
  const running = await plugin.start(describingHost(plugin));
  await running.stop?.();
  return running.routes ?? [];
};

/** The document of the API as it is built: its own routes and those of the built-in plugins. */
export const describeApi = async (): Promise<OpenApiDocument> => {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  const pluginRoutes = await Promise.all(BUILT_IN_PLUGINS.map(routesOf));
  // Handlers are not run here, so what they would work with may be missing.
  const parts = { pluginRoutes: pluginRoutes.flat() } as unknown as Parameters<
    typeof routeTable
  >[0];
  return makeOpenApi({ version, routes: routeTable(parts), webhooks: EVENT_SHAPES });
};

/** The document as it is kept in the repository. */
export const writeApi = async (): Promise<string> =>
  `${JSON.stringify(await describeApi(), null, 2)}\n`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(FILE, await writeApi());
}
