import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    if (rival.isSettled || attempt === ATTEMPTS) throw new DataFolderInUseError(dataDir, rival.pid);
    await wait(randomInt(SHORTEST_PAUSE_MS * 2 ** attempt));
  }
};

const putFile = async (path: string): Promise<void> => {
  const content = JSON.stringify(await identify(process.pid));
  await writeFile(path, content, { flag: 'wx', mode: 0o600 });
};

const hold = async (path: string): Promise<() => Promise<void>> => {
  await utimes(path, LONG_AGO, LONG_AGO);
  return () => rm(path, { force: true });
};

interface Rival {
  readonly pid: number;
  readonly isSettled: boolean;
}

/**
 * The process that holds the folder, for those who only look: what a crash left stays. Undefined
 * where nobody does.
 */
export const findHolder = async (dataDir: string): Promise<number | undefined> => {
  for (const name of await lockFiles(dataDir)) {
    const holder = await readRival(join(dataDir, name));
    if (holder !== undefined) return holder.pid;
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
  if (holder === undefined && !isSettled) return { pid: 0, isSettled };
  if (holder !== undefined && (await isRunning(holder))) return { pid: holder.pid, isSettled };
  return undefined;
};

const parseHolder = (content: string): ProcessIdentity | undefined => {
  try {
    const holder = JSON.parse(content) as Partial<ProcessIdentity>;
    if (typeof holder.pid !== 'number') return undefined;
    return { pid: holder.pid, startedAt: holder.startedAt ?? null };
  } catch {
    return undefined;
  }
};
