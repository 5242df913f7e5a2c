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
import { inDataFolder, lookInDataFolder } from './in-data-folder.js';

export interface WarningLog {
  readonly warn: (fields: object, message: string) => void;
}

/**
 * The text of a file of the data folder that only its owner may read; undefined where there is
 * none. Rejects where it is empty, which no crash of ours leaves behind.
 */
export const readPrivateFile = (path: string, log: WarningLog): Promise<string | undefined> =>
  lookInDataFolder(dirname(path), async () => {
    if (!(await exists(path))) return undefined;
    await closeToOthers(path, log);
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') throw new Error(`${path} is empty. Restore it from a backup, or remove it.`);
    return text;
  });

/** False where there is one already: of two starts at once one makes it, whole or not at all. */
export const createPrivateFile = (path: string, text: string): Promise<boolean> =>
  inDataFolder(dirname(path), async () => {
    const written = await writeBeside(path, text);
    try {
      await linkOrCopy(written, path);
      return true;
    } catch (error) {
      if (isThereAlready(error)) return false;
      throw error;
    } finally {
      await rm(written, { force: true });
    }
  });

/** The text of such a file, made where there is none yet. */
export const openPrivateFile = async (
  path: string,
  make: () => string,
  log: WarningLog,
): Promise<string> => {
  const there = await readPrivateFile(path, log);
  if (there !== undefined) return there;
  const text = make();
  if (await createPrivateFile(path, text)) return text;
  return openPrivateFile(path, make, log);
};

/** A text that lies beside its file until what it says has come true, be it after a crash. */
export interface PendingFile {
  readonly text: string;
  /** Puts it in the file's place. */
  readonly promote: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

export const writePendingFile = (path: string, text: string): Promise<PendingFile> =>
  inDataFolder(dirname(path), async () => pendingAt(await writeBeside(path, text), path, text));

/** Those that a crash has left. */
export const findPendingFiles = (path: string): Promise<readonly PendingFile[]> =>
  lookInDataFolder(dirname(path), async () => {
    const names = await readdir(dirname(path)).catch(() => []);
    const pending = names.filter(
      (name) => name.startsWith(`${basename(path)}.`) && BESIDE.test(name),
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

/** Suffix of such a file's name, so that no other backup matches it. */
const BESIDE = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const writeBeside = async (path: string, text: string): Promise<string> => {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true });
  return written;
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
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    },
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
