import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Does the work in the data folder, made for its owner alone where it is missing. What the file
 * system refuses is told in the operator's words; whatever else goes wrong stays as it is.
 */
export const inDataFolder = async <Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> =>
  lookInDataFolder(folder, async () => {
    await makeFolder(resolve(folder));
    return work();
  });

/** The same for work that makes nothing: the folder may be missing. */
export const lookInDataFolder = async <Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw isRefusedByFileSystem(error) ? explain(folder, error) : error;
  }
};

type Fault = NodeJS.ErrnoException & { readonly code: string };

const isRefusedByFileSystem = (error: unknown): error is Fault =>
  error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Not the recursive mkdir of Node.js, which never ends where a file system takes no folders. */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdirUnlessThere(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdirUnlessThere(path);
  }
};

const mkdirUnlessThere = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory() !== true) throw error;
  }
};

const NO_FOLDER = 'is no folder, or lies in none';
const NOT_ALLOWED = 'is closed to this account';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'is on a file system that is read-only',
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  ENOENT: 'cannot be made there',
  ENOSPC: 'has no room left on its disk',
  EDQUOT: 'has no room left on its disk',
};

/** Files are written under a name of the moment first. */
const lastingName = (path: string): string => path.replace(/\.[0-9a-f-]{36}$/, '');

const explain = (folder: string, fault: Fault): Error => {
  const place = lastingName(fault.path ?? folder);
  return new Error(
    `The data folder ${folder} cannot be used: ${place} ` +
      `${REASONS[fault.code] ?? 'cannot be used'} (${fault.code}). ` +
      'Put that right, run Rollgate under the account that the folder belongs to, or choose ' +
      'another one with ROLLGATE_DATA_DIR (dataDir in the configuration).',
    { cause: fault },
  );
};
