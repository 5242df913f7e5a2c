import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The version of the mongod that last opened the data: mongod upgrades by one release at a time and
 * never downgrades.
 */
const versionFile = (dataDir: string): string => join(dataDir, 'mongod-version');

export const noteDataVersion = (dataDir: string, version: string): Promise<void> =>
  writeFile(versionFile(dataDir), `${version}\n`, { mode: 0o600 });

/** `6.0.5`; undefined if no mongod has opened the data, or the file is not readable. */
export const readDataVersion = (dataDir: string): Promise<string | undefined> =>
  readFile(versionFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** `6.0` */
export const seriesOf = (version: string): string => version.split('.').slice(0, 2).join('.');
