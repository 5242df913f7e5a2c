import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest package.json upwards, the same for sources and for dist/. */
const packageFile = (folder: string): string => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? file : packageFile(dirname(folder));
};

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifestFile = packageFile(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;

/** The folder of the package, with its templates. */
export const PACKAGE_FOLDER = dirname(manifestFile);

/** Rollgate's version, as in package.json. */
export const VERSION = manifest.version;

/** The supported versions of Node.js, as in package.json: `>=20.19 <21 || >=22.12`. */
export const NODE_RANGE = manifest.engines.node;
