import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/process/cache-folder.js';

const run = promisify(execFile);
const FETCH_MS = 120_000;

/** Checks the version, because other programs have the same name. */
const isProgram = async (path: string): Promise<boolean> => {
  try {
    return (await run(path, ['-version'])).stdout.startsWith('webhook version');
  } catch {
    return false;
  }
};

/**
 * Downloads the package into the folder, without root; apt verifies it against its signed lists.
 */
const download = async (folder: string, options: readonly string[] = []): Promise<void> => {
  await run('apt-get', [...options, '-qq', 'download', 'webhook'], {
    cwd: folder,
    timeout: FETCH_MS,
  });
};

/** For machines without package lists: downloads the lists into the folder first. */
const downloadWithLists = async (folder: string): Promise<void> => {
  const [lists, cache] = [join(folder, 'lists'), join(folder, 'cache')];
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const places = { 'Dir::State::Lists': lists, 'Dir::Cache': cache, 'Debug::NoLocking': '1' };
  const options = Object.entries(places).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...options, '-qq', 'update'], { timeout: FETCH_MS });
  await download(folder, options);
};

const downloadInto = async (folder: string): Promise<string> => {
  await download(folder).catch(() => downloadWithLists(folder));
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get downloaded no package');
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')]);
  return join(folder, 'unpacked', 'usr', 'bin', 'webhook');
};

/**
 * Stores the program in the cache of the mongod, atomically, so that tests may run concurrently.
 */
const cacheProgram = async (cached: string): Promise<void> => {
  const cache = cacheFolder(process.env);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-webhook-'));
  try {
    await rename(await downloadInto(folder), cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Finds Debian's program `webhook`: on PATH, in the cache, or by downloading it. Rejects with the
 * reason if it is not available.
 */
export const findWebhookProgram = async (): Promise<string> => {
  if (await isProgram('webhook')) return 'webhook';
  const cached = join(cacheFolder(process.env), 'debian-webhook');
  await access(cached).catch(() => cacheProgram(cached));
  if (await isProgram(cached)) return cached;
  throw new Error('the downloaded program does not run on this machine');
};
