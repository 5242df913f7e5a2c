import {
  mkdir,
  stat,
  chmod,
  constants,
  copyFile,
  link,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, resolve, basename, join } from 'node:path';
import { randomUUID } from 'node:crypto';

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
const withExistingDataFolder = async <Result>(
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

/** The error of a write has no path. */
const isFileSystemError = (error: unknown): error is Fault =>
  error instanceof Error &&
  'syscall' in error &&
  'code' in error &&
  ('path' in error || REASONS[String(error.code)] === DISK_FULL);

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
const DISK_FULL = 'is on a full disk, which needs free space';

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

export interface WarningLog {
  readonly warn: (fields: object, message: string) => void;
}

/**
 * The text of a file in the data folder that only its owner may read; undefined if there is none.
 * Rejects if it is empty, which a crash cannot cause.
 */
export const readPrivateFile = (path: string, log: WarningLog): Promise<string | undefined> =>
  withExistingDataFolder(dirname(path), async () => {
    if (!(await exists(path))) return undefined;
    await restrictAccess(path, log);
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') throw new Error(`${path} is empty. Restore it from a backup, or remove it.`);
    return text;
  });

/** Creates the file atomically; false if it exists, for example because of a concurrent start. */
export const createPrivateFile = (path: string, text: string): Promise<boolean> =>
  withDataFolder(dirname(path), async () => {
    const written = await writeTemporary(path, text);
    try {
      await linkOrCopy(written, path);
      return true;
    } catch (error) {
      if (isExisting(error)) return false;
      throw error;
    } finally {
      await rm(written, { force: true });
    }
  });

/** The text of such a file, which is created if it is missing. */
export const readOrCreatePrivateFile = async (
  path: string,
  generate: () => string,
  log: WarningLog,
): Promise<string> => {
  const existing = await readPrivateFile(path, log);
  if (existing !== undefined) return existing;
  const text = generate();
  if (await createPrivateFile(path, text)) return text;
  return readOrCreatePrivateFile(path, generate, log);
};

/** A temporary file that replaces another one once its content is valid, even after a crash. */
interface PendingFile {
  readonly text: string;
  /** Renames it to the final path. */
  readonly promote: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

export const writePendingFile = (path: string, text: string): Promise<PendingFile> =>
  withDataFolder(dirname(path), async () =>
    pendingAt(await writeTemporary(path, text), path, text),
  );

/** Pending files left by a crash. */
export const findPendingFiles = (path: string): Promise<readonly PendingFile[]> =>
  withExistingDataFolder(dirname(path), async () => {
    const names = await readdir(dirname(path)).catch(() => []);
    const pending = names.filter(
      (name) => name.startsWith(`${basename(path)}.`) && TEMPORARY.test(name),
    );
    return Promise.all(
      pending.map(async (name) => {
        const written = join(dirname(path), name);
        return pendingAt(written, path, (await readFile(written, 'utf8')).trim());
      }),
    );
  });

const pendingAt = (written: string, path: string, text: string): PendingFile => ({
  text,
  promote: () => rename(written, path),
  discard: () => rm(written, { force: true }),
});

/** The suffix of temporary files, so specific that no backup matches it. */
const TEMPORARY = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const writeTemporary = async (path: string, text: string): Promise<string> => {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true });
  return written;
};

/** Some file systems do not support links. */
const linkOrCopy = (from: string, to: string): Promise<void> =>
  link(from, to).catch((error: unknown) => {
    if (isExisting(error)) throw error;
    return copyFile(from, to, constants.COPYFILE_EXCL);
  });

const isExisting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    },
  );

const restrictAccess = async (path: string, log: WarningLog): Promise<void> => {
  if (process.platform === 'win32') return;
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const isFixed = await chmod(path, 0o600).then(
    () => true,
    () => false,
  );
  const fields = { path, mode: mode.toString(8) };
  if (isFixed) log.warn(fields, 'a secret file was readable by other users; its mode is 600 now');
  else log.warn(fields, 'a secret file is readable by other users; change its mode to 600');
};
