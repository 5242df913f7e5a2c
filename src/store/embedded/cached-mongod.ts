import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  EXECUTABLE,
  isExecutable,
  inspectMongod,
  type MongodSource,
  NothingHere,
} from './mongod-source.js';

/** As in `mongod-6.0.5-linux-x64`: machines of different kinds may share a home folder. */
const PLATFORM = `${process.platform}-${process.arch}`;
/** The checksum of a download is stored beside it, that of the wheel in our code. */
const FOLDER = new RegExp(`^mongod-(\\d+\\.\\d+\\.\\d+)-${PLATFORM}(-download)?$`);
const CHECKSUM = `${EXECUTABLE}.sha256`;

/**
 * The newest mongod that an earlier start downloaded. It is verified before it runs: against the
 * pin in our code, or the checksum taken when it was downloaded (decision 0022). The pins are by the
 * name of the folder.
 */
export const createCachedMongod = (pins: ReadonlyMap<string, string>): MongodSource => ({
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
      const fault = await findFault(path, pins.get(folder));
      if (fault === undefined) return path;
      log.warn({ path }, `${fault}; trying the next one.`);
      reasons.push(fault);
    }
    throw new NothingHere(reasons.length === 0 ? `no mongod in ${cacheDir}` : reasons.join('; '));
  },
});

/** Why it must not run; undefined if it is unchanged. */
const findFault = async (path: string, pin: string | undefined): Promise<string | undefined> => {
  const expected = pin ?? (await readChecksum(path));
  if (expected === undefined) return `${path} is not used: its SHA-256 is unknown`;
  const found = await hashFile(path);
  if (found === expected) return undefined;
  return `${path} was changed or damaged and is not used: its SHA-256 is ${found}, not ${expected}`;
};

const readChecksum = (path: string): Promise<string | undefined> =>
  readFile(join(dirname(path), CHECKSUM), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

/** The source of a downloaded mongod, which determines what it is verified against later. */
export type Provenance = 'pinned' | 'download';

/**
 * Adds a downloaded mongod to the cache, once it has run. It arrives by a single rename, so that
 * two concurrent starts both end up with a whole file.
 */
export const addToCache = async (
  downloaded: string,
  cacheDir: string,
  provenance: Provenance,
): Promise<string> => {
  await chmod(downloaded, 0o755);
  const { version } = await inspectMongod(downloaded);
  const suffix = provenance === 'download' ? '-download' : '';
  const folder = join(cacheDir, `mongod-${version}-${PLATFORM}${suffix}`);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (provenance === 'download')
    await writeFile(join(folder, CHECKSUM), `${await hashFile(downloaded)}\n`);
  const path = join(folder, EXECUTABLE);
  await rename(downloaded, path);
  return path;
};

/** A new folder to download into, in the cache and so on the same file system. */
export const createDownloadFolder = async (cacheDir: string): Promise<string> => {
  const folder = join(cacheDir, `download-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  return folder;
};

const byVersion = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });

const PROGRAM = `
const { createHash } = require('node:crypto');
const { createReadStream } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const hash = createHash('sha256');
createReadStream(workerData, { highWaterMark: 1024 * 1024 })
  .on('data', (bytes) => hash.update(bytes))
  .on('end', () => parentPort.postMessage(hash.digest('hex')));
`;

/**
 * The SHA-256 of a file, in hexadecimal. Computed in a thread of its own: a mongod of 135 MB takes
 * 0.2 s, during which the caller loads modules. Rejects if the file is not readable.
 */
export const hashFile = (path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    new Worker(PROGRAM, { eval: true, execArgv: [], workerData: path })
      .once('message', resolve)
      .once('error', reject);
  });
