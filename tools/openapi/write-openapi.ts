import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { routeTable } from '../../src/http/resources/route-table.js';
import { createOpenApi, type OpenApiDocument } from '../../src/http/openapi/document.js';
import type { Plugin } from '../../src/plugin/api.js';
import { describeExtensions } from '../shared/describe-extensions.js';

const FILE = new URL('../../openapi.json', import.meta.url);
const MANIFEST = new URL('../../package.json', import.meta.url);

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
