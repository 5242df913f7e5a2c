import { randomUUID } from 'node:crypto';
import {
  chmod,
  constants,
  copyFile,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withDataFolder, withExistingDataFolder } from './in-data-folder.js';

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
export interface PendingFile {
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
