import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './running-process.js';
import { withDataFolder } from '../../secrets/private-file.js';

/** Another gateway uses the data folder; the message names it and says what to do. */
class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
  constructor(dataDir: string, pid: number) {
    super(
      `Another Rollgate (process ${pid}) uses the data folder ${dataDir}. ` +
        'Stop it, or choose another folder with ROLLGATE_DATA_DIR.',
    );
  }
}

/** The folder was copied while it was in use; the message says what to do with the copy. */
class CopiedDataFolderError extends Error {
  override readonly name = 'CopiedDataFolderError';
  constructor(dataDir: string, { lockFile, original }: CopiedLock) {
    super(
      `The data folder ${dataDir} is a copy of ${original} that was made while a gateway used it, ` +
        'so its database may be damaged. Restore a copy that was made while no gateway ran, or a ' +
        'snapshot of the volume. If this is such a snapshot, ' +
        `delete ${join(dataDir, lockFile)} and start again.`,
    );
  }
}

const FILE = /^rollgate-[0-9a-f-]{36}\.lock$/;
/**
 * An older file belongs to a process that holds the folder, or to none; not to one that is trying.
 */
const HOLDER_AFTER_MS = 2_000;
/** The holder of the folder sets its file's time to this, so that others recognise it at once. */
const EPOCH = new Date(0);
const ATTEMPTS = 8;
const MIN_BACKOFF_MS = 20;

/**
 * Locks the folder for this process and returns a function that releases it. Each process creates a
 * lock file of its own and then looks for others: of two, the one that looks later sees both, so
 * two never hold the lock. No file passes to another process, so the file of a crashed process is
 * removed without a race, even if its process id has been reused. Two processes that try at the
 * same time both back off and try again after a random delay.
 *
 * Not proper-lockfile (tried: 4.1.2): it recognises a dead holder only by the age of its lock,
 * so a start after a crash waits for up to 2 s (measured: 1.5 s), and a holder that is suspended for that long loses
 * its lock while its mongod runs. It also knows neither the holder's process nor copied folders.
 */
export const lockDataFolder = (dataDir: string): Promise<() => Promise<void>> =>
  withDataFolder(dataDir, () => takeLock(dataDir));

const takeLock = async (dataDir: string): Promise<() => Promise<void>> => {
  for (let attempt = 0; ; attempt += 1) {
    const name = `rollgate-${randomUUID()}.lock`;
    const path = join(dataDir, name);
    await writeLockFile(path);
    const other = await findOther(dataDir, name);
    if (other === undefined) return markHeld(path);
    await rm(path, { force: true });
    if (other.copied !== undefined) throw new CopiedDataFolderError(dataDir, other.copied);
    if (other.isHolder || attempt === ATTEMPTS) throw new DataFolderInUseError(dataDir, other.pid);
    await wait(randomInt(MIN_BACKOFF_MS * 2 ** attempt));
  }
};

const writeLockFile = async (path: string): Promise<void> => {
  const folder = dirname(path);
  const holder: Holder = {
    ...(await identify(process.pid)),
    folder: { path: await realpath(folder), node: await nodeOf(folder) },
  };
  await writeFile(path, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
};

/** The device and inode: those of a copy differ, those of a renamed folder do not. */
const nodeOf = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
};

const markHeld = async (path: string): Promise<() => Promise<void>> => {
  await utimes(path, EPOCH, EPOCH);
  return () => rm(path, { force: true });
};

/** The content of a lock file. */
interface Holder extends ProcessIdentity {
  /** The folder it was created in; absent from files of earlier versions. */
  readonly folder?: { readonly path: string; readonly node: string };
}

/** The lock file of a process that holds another folder. */
interface CopiedLock {
  readonly lockFile: string;
  readonly original: string;
}

interface OtherProcess {
  readonly pid: number;
  readonly isHolder: boolean;
  /** Set if the process holds the folder that this one is a copy of. */
  readonly copied?: CopiedLock;
}

/** The process that holds a folder, for `rollgate doctor`. */
export interface FoundHolder {
  readonly pid: number;
  /** The folder that it holds, if this one is a copy of that. */
  readonly original?: string;
}

/** The process that holds the folder, if any. The lock file of a crashed process is left. */
export const findHolder = async (dataDir: string): Promise<FoundHolder | undefined> => {
  for (const name of await lockFiles(dataDir)) {
    const other = await readOther(join(dataDir, name));
    if (other?.copied !== undefined) return { pid: other.pid, original: other.copied.original };
    if (other !== undefined) return { pid: other.pid };
  }
  return undefined;
};

const lockFiles = async (dataDir: string): Promise<readonly string[]> =>
  (await readdir(dataDir)).filter((name) => FILE.test(name));

/** Removes the files of processes that are gone. */
const findOther = async (dataDir: string, ownFile: string): Promise<OtherProcess | undefined> => {
  for (const name of await lockFiles(dataDir)) {
    if (name === ownFile) continue;
    const other = await readOther(join(dataDir, name));
    if (other !== undefined) return other;
    await rm(join(dataDir, name), { force: true });
  }
  return undefined;
};

/** Undefined if no running process holds the file. */
const readOther = async (path: string): Promise<OtherProcess | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const isHolder = Date.now() - found.mtimeMs > HOLDER_AFTER_MS;
  const holder = parseHolder(await readFile(path, 'utf8').catch(() => ''));
  // Empty while it is being written, or forever if that was interrupted.
  if (holder === undefined) return isHolder ? undefined : { pid: 0, isHolder };
  if (!(await isRunning(holder))) return undefined;
  const other = { pid: holder.pid, isHolder };
  const original = await originalOf(holder, dirname(path));
  if (original === undefined) return other;
  return { ...other, copied: { lockFile: basename(path), original } };
};

/**
 * The folder that the file was created in, if that is not the one it is in now. Compared by path as
 * well, because some file systems change the inode of a folder in use.
 */
const originalOf = async ({ folder }: Holder, found: string): Promise<string | undefined> => {
  if (folder === undefined || folder.path === (await realpath(found))) return undefined;
  return folder.node === (await nodeOf(found)) ? undefined : folder.path;
};

const parseHolder = (content: string): Holder | undefined => {
  try {
    const { pid, startedAt = null, folder } = JSON.parse(content) as Partial<Holder>;
    if (typeof pid !== 'number') return undefined;
    return { pid, startedAt, ...(folder === undefined ? {} : { folder }) };
  } catch {
    return undefined;
  }
};
