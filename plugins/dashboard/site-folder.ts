import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = 'dist/plugins/dashboard/site';

const packageFolder = (folder: string): string | undefined => {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(parent);
};

/** The built site: the same folder for sources and bundles. Undefined: it is not built. */
export const siteFolder = (): string | undefined => {
  const root = packageFolder(dirname(fileURLToPath(import.meta.url)));
  const folder = root === undefined ? undefined : join(root, SITE);
  return folder !== undefined && existsSync(join(folder, 'index.html')) ? folder : undefined;
};
