import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest package.json upwards: the same one for the sources and for what is built of them. */
const packageFile = (folder: string): string => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? file : packageFile(dirname(folder));
};

const readVersion = (): string => {
  const text = readFileSync(packageFile(dirname(fileURLToPath(import.meta.url))), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};

/** Rollgate's version, as in package.json. */
export const VERSION = readVersion();
