import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/store/embedded/cache-folder.js';

const run = promisify(execFile);
const FETCH_MS = 120_000;

/** Other programs have that name, too. */
const isProgram = async (path: string): Promise<boolean> => {
  try {
    return (await run(path, ['-version'])).stdout.startsWith('webhook version');
  } catch {
    return false;
  }
};

/** Into the folder, as any user: apt checks what it gets against its own signed lists. */
const download = async (folder: string, options: readonly string[] = []): Promise<void> => {
  await run('apt-get', [...options, '-qq', 'download', 'webhook'], {
    cwd: folder,
    timeout: FETCH_MS,
  });
};

/** A machine that was never told to update has no lists; then they are fetched for this alone. */
const downloadWithLists = async (folder: string): Promise<void> => {
  const [lists, cache] = [join(folder, 'lists'), join(folder, 'cache')];
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const places = { 'Dir::State::Lists': lists, 'Dir::Cache': cache, 'Debug::NoLocking': '1' };
  const options = Object.entries(places).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...options, '-qq', 'update'], { timeout: FETCH_MS });
  await download(folder, options);
};

const fetchInto = async (folder: string): Promise<string> => {
  await download(folder).catch(() => downloadWithLists(folder));
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get has downloaded nothing');
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')]);
  return join(folder, 'unpacked', 'usr', 'bin', 'webhook');
};

/** Kept beside the mongod, and put there whole, so that tests of two checkouts may both do it. */
const fetchProgram = async (kept: string): Promise<void> => {
  const home = cacheFolder(process.env);
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(home, 'fetch-webhook-'));
  try {
    await rename(await fetchInto(folder), kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Debian's program `webhook`: that on PATH, else one that was fetched before, else one that is
 * fetched now. Rejects with the reason where there is none to be had.
 */
export const findWebhookProgram = async (): Promise<string> => {
  if (await isProgram('webhook')) return 'webhook';
  const kept = join(cacheFolder(process.env), 'debian-webhook');
  await access(kept).catch(() => fetchProgram(kept));
  if (await isProgram(kept)) return kept;
  throw new Error('what apt-get fetched does not run here');
};
