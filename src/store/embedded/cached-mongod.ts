import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXECUTABLE, isExecutable } from './installed-mongod.js';
import { inspectMongod } from './mongod-binary.js';
import { NothingHere, type MongodSource } from './mongod-source.js';

/** `mongod-6.0.5-linux-x64`: a home folder may be shared by machines of different kinds. */
const PLATFORM = `${process.platform}-${process.arch}`;
const FOLDER = new RegExp(`^mongod-(\\d+\\.\\d+\\.\\d+)-${PLATFORM}$`);

/** What an earlier start fetched; the newest where there are several. */
export const cachedMongod: MongodSource = {
  name: 'the cache',
  find: async ({ cacheDir }) => {
    const folders = await readdir(cacheDir).catch(() => []);
    const newestFirst = folders
      .filter((name) => FOLDER.test(name))
      .sort(byVersion)
      .reverse();
    for (const folder of newestFirst) {
      const path = join(cacheDir, folder, EXECUTABLE);
      if (await isExecutable(path)) return path;
    }
    throw new NothingHere(`no mongod in ${cacheDir}`);
  },
};

/**
 * Puts a fetched mongod into the cache, once it has run. It arrives by one rename, so that two
 * starts at once both end up with a whole file.
 */
export const keepInCache = async (fetched: string, cacheDir: string): Promise<string> => {
  await chmod(fetched, 0o755);
  const { version } = await inspectMongod(fetched);
  const path = join(cacheDir, `mongod-${version}-${PLATFORM}`, EXECUTABLE);
  await mkdir(dirname(path), { recursive: true });
  await rename(fetched, path);
  return path;
};

/** A folder of its own in the cache, on the same file system, to fetch into. */
export const makeFetchFolder = async (cacheDir: string): Promise<string> => {
  const folder = join(cacheDir, `fetching-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  return folder;
};

const byVersion = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });
