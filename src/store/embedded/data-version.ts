import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Who opened the data last: mongod moves by one release at a time, and never back. */
const versionFile = (dataDir: string): string => join(dataDir, 'mongod-version');

export const noteDataVersion = (dataDir: string, version: string): Promise<void> =>
  writeFile(versionFile(dataDir), `${version}\n`, { mode: 0o600 });

/** `6.0.5`; undefined where no mongod has opened the data, or its note cannot be read. */
export const readDataVersion = (dataDir: string): Promise<string | undefined> =>
  readFile(versionFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** `6.0` */
export const seriesOf = (version: string): string => version.split('.').slice(0, 2).join('.');
