import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { NothingHere, type MongodSource } from './mongod-source.js';

export const EXECUTABLE = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** The variable is mongodb-memory-server's, so that one setting serves both. */
export const namedMongod: MongodSource = {
  name: 'MONGOMS_SYSTEM_BINARY',
  isExplicit: true,
  find: ({ env }) => {
    if (!env.MONGOMS_SYSTEM_BINARY) return Promise.reject(new NothingHere('it is not set'));
    return Promise.resolve(resolve(env.MONGOMS_SYSTEM_BINARY));
  },
};

export const mongodOnPath: MongodSource = {
  name: 'PATH',
  find: async ({ env }) => {
    for (const folder of (env.PATH ?? '').split(delimiter)) {
      const path = join(folder, EXECUTABLE);
      if (folder !== '' && (await isExecutable(path))) return path;
    }
    throw new NothingHere('no mongod on it');
  },
};

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
