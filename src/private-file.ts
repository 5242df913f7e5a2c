import { randomUUID } from 'node:crypto';
import { chmod, constants, copyFile, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inDataFolder } from './in-data-folder.js';

export interface WarningLog {
  readonly warn: (fields: object, message: string) => void;
}

export interface PrivateText {
  readonly text: string;
  readonly madeNow: boolean;
}

/**
 * The text of a file that only its owner may read, made where there is none yet. Rejects where it
 * is empty, which no crash of ours leaves behind, or where the folder cannot be used.
 */
export const openPrivateFile = async (
  path: string,
  make: () => string,
  log: WarningLog,
): Promise<PrivateText> =>
  inDataFolder(dirname(path), async () => {
    const madeNow = await createFile(path, make);
    if (!madeNow) await closeToOthers(path, log);
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') throw new Error(`${path} is empty. Restore it from a backup, or remove it.`);
    return { text, madeNow };
  });

/** The file appears whole or not at all, and of two starts at once one makes it. */
const createFile = async (path: string, make: () => string): Promise<boolean> => {
  if (await exists(path)) return false;
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, `${make()}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await linkOrCopy(written, path);
    return true;
  } catch (error) {
    if (isThereAlready(error)) return false;
    throw error;
  } finally {
    await rm(written, { force: true });
  }
};

/** Not every file system knows links. */
const linkOrCopy = (from: string, to: string): Promise<void> =>
  link(from, to).catch((error: unknown) => {
    if (isThereAlready(error)) throw error;
    return copyFile(from, to, constants.COPYFILE_EXCL);
  });

const isThereAlready = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const closeToOthers = async (path: string, log: WarningLog): Promise<void> => {
  if (process.platform === 'win32') return;
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const isClosed = await chmod(path, 0o600).then(
    () => true,
    () => false,
  );
  const fields = { path, mode: mode.toString(8) };
  if (isClosed) log.warn(fields, 'A secret file could be read by other users; it no longer can');
  else log.warn(fields, 'A secret file can be read by other users; change its mode to 600');
};
