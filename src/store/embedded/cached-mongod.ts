import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from './hash-file.js';
import { EXECUTABLE, isExecutable } from './installed-mongod.js';
import { inspectMongod } from './mongod-binary.js';
import { NothingHere, type MongodSource } from './mongod-source.js';
import { PINNED_WHEEL } from './pinned-wheel.js';

/** `mongod-6.0.5-linux-x64`: a home folder may be shared by machines of different kinds. */
const PLATFORM = `${process.platform}-${process.arch}`;
/** What came by a download has a checksum beside it, not in our code. */
const FOLDER = new RegExp(`^mongod-(\\d+\\.\\d+\\.\\d+)-${PLATFORM}(-download)?$`);
/** A folder's name to the SHA-256 of the mongod in it. */
const PINS: ReadonlyMap<string, string> = new Map([
  [`mongod-${PINNED_WHEEL.version}-linux-x64`, PINNED_WHEEL.mongodSha256],
]);
const CHECKSUM = `${EXECUTABLE}.sha256`;

/**
 * What an earlier start fetched; the newest where there are several. Its content is checked before
 * it runs: against the pin in our code, or what was noted when it was downloaded (decision 0022).
 */
export const createCachedMongod = (pins: ReadonlyMap<string, string> = PINS): MongodSource => ({
  name: 'the cache',
  find: async ({ cacheDir, log }) => {
    const folders = await readdir(cacheDir).catch(() => []);
    const newestFirst = folders
      .filter((name) => FOLDER.test(name))
      .sort(byVersion)
      .reverse();
    const reasons: string[] = [];
    for (const folder of newestFirst) {
      const path = join(cacheDir, folder, EXECUTABLE);
      if (!(await isExecutable(path))) continue;
      const doubt = await doubtOf(path, pins.get(folder));
      if (doubt === undefined) return path;
      log.warn({ path }, `${doubt}; another one is looked for.`);
      reasons.push(doubt);
    }
    throw new NothingHere(reasons.length === 0 ? `no mongod in ${cacheDir}` : reasons.join('; '));
  },
});

export const cachedMongod: MongodSource = createCachedMongod();

/** Why it must not run; undefined where it is as it was when it was fetched. */
const doubtOf = async (path: string, pin: string | undefined): Promise<string | undefined> => {
  const wanted = pin ?? (await readChecksum(path));
  if (wanted === undefined) return `${path} is not used, for its SHA-256 is not known`;
  const found = await hashFile(path);
  if (found === wanted) return undefined;
  return `${path} was changed or damaged and is not used: its SHA-256 is ${found}, not ${wanted}`;
};

const readChecksum = (path: string): Promise<string | undefined> =>
  readFile(join(dirname(path), CHECKSUM), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** Where a fetched mongod comes from, which decides what it is checked against later. */
export type Provenance = 'pinned' | 'download';

/**
 * Puts a fetched mongod into the cache, once it has run. It arrives by one rename, so that two
 * starts at once both end up with a whole file.
 */
export const keepInCache = async (
  fetched: string,
  cacheDir: string,
  provenance: Provenance,
): Promise<string> => {
  await chmod(fetched, 0o755);
  const { version } = await inspectMongod(fetched);
  const suffix = provenance === 'download' ? '-download' : '';
  const folder = join(cacheDir, `mongod-${version}-${PLATFORM}${suffix}`);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (provenance === 'download')
    await writeFile(join(folder, CHECKSUM), `${await hashFile(fetched)}\n`);
  const path = join(folder, EXECUTABLE);
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
