import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inDataFolder } from '../../in-data-folder.js';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';

/** Another Rollgate uses the data folder; the message says which and what to do. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
  constructor(dataDir: string, pid: number) {
    super(
      `Another Rollgate (process ${pid}) uses the data folder ${dataDir}. ` +
        'Stop it, or choose another folder with ROLLGATE_DATA_DIR.',
    );
  }
}

/** The folder was copied while it was in use; the message says what to do with the copy. */
export class CopiedDataFolderError extends Error {
  override readonly name = 'CopiedDataFolderError';
  constructor(dataDir: string, { lockFile, original }: CopiedLock) {
    super(
      `The data folder ${dataDir} is a copy of ${original}, made while a Rollgate used that, so ` +
        'its database may be damaged. Restore a copy that was made while none used it (or a ' +
        'snapshot of the volume). If this is such a snapshot, ' +
        `delete ${join(dataDir, lockFile)} and start again.`,
    );
  }
}

const FILE = /^rollgate-[0-9a-f-]{36}\.lock$/;
/** A file this old belongs to one who holds the folder, or to nobody; not to one who tries. */
const SETTLED_MS = 2_000;
/** Who holds the folder dates his file back, so that others see it at once. */
const LONG_AGO = new Date(0);
const ATTEMPTS = 8;
const SHORTEST_PAUSE_MS = 20;

/**
 * Takes the folder for this process and gives what releases it. Everyone puts a file of his own
 * there and then looks for others: of two, whoever looks later sees both, so two never hold it. No
 * file is ever given to another, so what a crashed process left can be removed without a race; it
 * is recognised also where its number was given to another program since. Two who try at the same
 * moment both step back, and try again a random time later.
 */
export const lockDataFolder = (dataDir: string): Promise<() => Promise<void>> =>
  inDataFolder(dataDir, () => takeFolder(dataDir));

const takeFolder = async (dataDir: string): Promise<() => Promise<void>> => {
  for (let attempt = 0; ; attempt += 1) {
    const name = `rollgate-${randomUUID()}.lock`;
    const path = join(dataDir, name);
    await putFile(path);
    const rival = await findRival(dataDir, name);
    if (rival === undefined) return hold(path);
    await rm(path, { force: true });
    if (rival.copied !== undefined) throw new CopiedDataFolderError(dataDir, rival.copied);
    if (rival.isSettled || attempt === ATTEMPTS) throw new DataFolderInUseError(dataDir, rival.pid);
    await wait(randomInt(SHORTEST_PAUSE_MS * 2 ** attempt));
  }
};

const putFile = async (path: string): Promise<void> => {
  const folder = dirname(path);
  const holder: Holder = {
    ...(await identify(process.pid)),
    folder: { path: await realpath(folder), node: await nodeOf(folder) },
  };
  await writeFile(path, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
};

/** The device and the number on it: a copy has others, a renamed folder has not. */
const nodeOf = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
};

const hold = async (path: string): Promise<() => Promise<void>> => {
  await utimes(path, LONG_AGO, LONG_AGO);
  return () => rm(path, { force: true });
};

/** What stands in a lock file. */
interface Holder extends ProcessIdentity {
  /** The folder it was put into; absent in files of before this was noted. */
  readonly folder?: { readonly path: string; readonly node: string };
}

/** A lock file of a process that holds another folder. */
interface CopiedLock {
  readonly lockFile: string;
  readonly original: string;
}

interface Rival {
  readonly pid: number;
  readonly isSettled: boolean;
  /** The process does not hold this folder, but the one that this is a copy of. */
  readonly copied?: CopiedLock;
}

/** The process that holds a folder, for those who only look. */
export interface FoundHolder {
  readonly pid: number;
  /** The folder that it really holds, where this one is a copy of that. */
  readonly original?: string;
}

/** The process that holds the folder, or undefined. The lock file of a crashed one stays. */
export const findHolder = async (dataDir: string): Promise<FoundHolder | undefined> => {
  for (const name of await lockFiles(dataDir)) {
    const rival = await readRival(join(dataDir, name));
    if (rival?.copied !== undefined) return { pid: rival.pid, original: rival.copied.original };
    if (rival !== undefined) return { pid: rival.pid };
  }
  return undefined;
};

const lockFiles = async (dataDir: string): Promise<readonly string[]> =>
  (await readdir(dataDir)).filter((name) => FILE.test(name));

/** What nobody holds any more is removed. */
const findRival = async (dataDir: string, own: string): Promise<Rival | undefined> => {
  for (const name of await lockFiles(dataDir)) {
    if (name === own) continue;
    const rival = await readRival(join(dataDir, name));
    if (rival !== undefined) return rival;
    await rm(join(dataDir, name), { force: true });
  }
  return undefined;
};

/** Undefined where nobody holds the file any more. */
const readRival = async (path: string): Promise<Rival | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const isSettled = Date.now() - found.mtimeMs > SETTLED_MS;
  const holder = parseHolder(await readFile(path, 'utf8').catch(() => ''));
  // Empty for a moment, while it is written; for ever, where that was cut short.
  if (holder === undefined) return isSettled ? undefined : { pid: 0, isSettled };
  if (!(await isRunning(holder))) return undefined;
  const rival = { pid: holder.pid, isSettled };
  const original = await originalOf(holder, dirname(path));
  if (original === undefined) return rival;
  return { ...rival, copied: { lockFile: basename(path), original } };
};

/**
 * Where the holder put the file, if that is another folder than the one it lies in now. By its path
 * as well, for some file systems number a folder anew while it is in use.
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
