import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates the data folder, accessible to its owner only, and runs `work`. Errors of the file system
 * are rethrown with advice for the operator; others unchanged.
 */
export const withDataFolder = async <Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> =>
  withExistingDataFolder(folder, async () => {
    await makeFolder(resolve(folder));
    return work();
  });

/** The same without creating the folder. */
export const withExistingDataFolder = async <Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw isFileSystemError(error) ? explain(folder, error) : error;
  }
};

type Fault = NodeJS.ErrnoException & { readonly code: string };

const isFileSystemError = (error: unknown): error is Fault =>
  error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Node's recursive mkdir never returns on a file system that cannot create folders. */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdirIfMissing(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdirIfMissing(path);
  }
};

const mkdirIfMissing = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory() !== true) throw error;
  }
};

const NO_FOLDER = 'is not a folder, or its parent is not';
const NOT_ALLOWED = 'is not accessible to this account';
const DISK_FULL = 'is on a full disk';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'is on a read-only file system',
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  ENOENT: 'cannot be created',
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
};

/** Files are first written under a temporary name. */
const finalName = (path: string): string => path.replace(/\.[0-9a-f-]{36}$/, '');

const explain = (folder: string, fault: Fault): Error => {
  const path = finalName(fault.path ?? folder);
  return new Error(
    `Cannot use the data folder ${folder}: ${path} ` +
      `${REASONS[fault.code] ?? 'is not usable'} (${fault.code}). ` +
      'Correct this, run Rollgate under the account that owns the folder, or choose another folder ' +
      'with ROLLGATE_DATA_DIR (dataDir in the configuration).',
    { cause: fault },
  );
};
