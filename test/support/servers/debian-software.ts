import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnce, openProgramCache, reasonOf } from '../program-cache.js';

const run = promisify(execFile);

/** Programs of Debian packages. */
export interface Software {
  /** Where a file of the packages is, by its path in Debian. */
  readonly path: (debianPath: string) => string;
  /** What its programs need in their environment. */
  readonly env: Readonly<Record<string, string>>;
}

interface Wanted {
  readonly packages: readonly string[];
  /** The programs are taken from the machine if it has all of these. */
  readonly files: readonly string[];
}

const THIS_MACHINE: Software = { path: (debianPath) => debianPath, env: {} };

/** Large, and needed only by parts of the servers that tests do not use. */
const NOT_NEEDED = /^(libllvm|libperl|perl|libz3|runit|rsync|locales)/;

/**
 * The software of these packages: what is installed, or else what apt-get downloads, unpacked into a
 * cache of this user. Nothing is installed, so no package starts a daemon, and no right is needed.
 * Undefined, with a line on stderr, where neither is possible.
 */
export const openSoftware = async ({ packages, files }: Wanted): Promise<Software | undefined> => {
  if (process.platform === 'linux' && files.every((file) => existsSync(file))) return THIS_MACHINE;
  try {
    return unpackedIn(await unpack(packages));
  } catch (error) {
    process.stderr.write(`Skipped: cannot get ${packages.join(', ')}: ${reasonOf(error)}\n`);
    return undefined;
  }
};

const unpackedIn = (root: string): Software => {
  const [architecture] = TRIPLETS.filter((name) => existsSync(join(root, 'usr/lib', name)));
  const libraries = ['usr/lib', 'lib', `usr/lib/${architecture}`, `lib/${architecture}`];
  return {
    path: (debianPath) => join(root, debianPath),
    env: { LD_LIBRARY_PATH: libraries.map((folder) => join(root, folder)).join(':') },
  };
};

const TRIPLETS = ['x86_64-linux-gnu', 'aarch64-linux-gnu', 'arm-linux-gnueabihf'];

/** Unpacks packages and what they need into a folder, which it returns. */
const unpack = (packages: readonly string[]): Promise<string> =>
  installOnce(packages.join('+'), async (draft) => {
    const archives = join(draft, '.archives');
    await mkdir(archives);
    await download(packages, archives, await openProgramCache());
    for (const name of (await readdir(archives)).filter((each) => each.endsWith('.deb')))
      await run('dpkg-deb', ['-x', join(archives, name), draft]);
    await rm(archives, { recursive: true });
  });

/** With the machine's package lists, or with fresh ones of our own: those may be missing or old. */
const download = async (
  packages: readonly string[],
  folder: string,
  cache: string,
): Promise<void> => {
  try {
    await downloadWith([], packages, folder);
  } catch {
    const lists = join(cache, '.lists');
    await mkdir(join(lists, 'partial'), { recursive: true });
    const options = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${folder}/apt`];
    await run('apt-get', [...OPTIONS, ...options, 'update'], { timeout: TIME_LIMIT_MS });
    await downloadWith(options, packages, folder);
  }
};

const TIME_LIMIT_MS = 100_000;
const OPTIONS = ['-q', '-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=root'];

const downloadWith = async (
  options: readonly string[],
  packages: readonly string[],
  cwd: string,
): Promise<void> => {
  const plan = ['-s', 'install', '--no-install-recommends', '--reinstall', ...packages];
  const { stdout } = await run('apt-get', [...OPTIONS, ...options, ...plan]);
  const needed = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  const wanted = needed.filter((name) => !NOT_NEEDED.test(name));
  await run('apt-get', [...OPTIONS, ...options, 'download', ...wanted], {
    cwd,
    timeout: TIME_LIMIT_MS,
  });
};
