import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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

const FILE = 'rollgate.lock';
/** Between making the file and having written it, a holder may be seen empty-handed. */
const WRITING_MS = 200;
const ATTEMPTS = 20;

/**
 * Takes the folder for this process and gives what releases it. What a crashed process left behind
 * is recognised, also where its number was given to another program since.
 */
export const lockDataFolder = async (dataDir: string): Promise<() => Promise<void>> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE);
  const content = JSON.stringify({ ...(await identify(process.pid)), lock: randomUUID() });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await create(path, content)) return () => release(path, content);
    await refuseOrClear(path, dataDir);
  }
  throw new Error(`The lock ${path} could not be taken. Remove it if no Rollgate uses the folder.`);
};

const create = async (path: string, content: string): Promise<boolean> => {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

const refuseOrClear = async (path: string, dataDir: string): Promise<void> => {
  const content = await readSettled(path);
  const holder = parseHolder(content);
  if (holder !== undefined && (await isRunning(holder))) {
    throw new DataFolderInUseError(dataDir, holder.pid);
  }
  if (content !== undefined) await takeAway(path, content);
};

const readSettled = async (path: string): Promise<string | undefined> => {
  const content = await readText(path);
  if (content === undefined || parseHolder(content) !== undefined) return content;
  await wait(WRITING_MS);
  return readText(path);
};

/** Two starts may clear the same stale lock: what was moved must be what was judged stale. */
const takeAway = async (path: string, stale: string): Promise<void> => {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readText(aside)) === stale) await rm(aside, { force: true });
  else await rename(aside, path);
};

const release = async (path: string, content: string): Promise<void> => {
  if ((await readText(path)) === content) await rm(path, { force: true });
};

const parseHolder = (content: string | undefined): ProcessIdentity | undefined => {
  try {
    const holder = JSON.parse(content ?? '') as Partial<ProcessIdentity>;
    if (typeof holder.pid !== 'number') return undefined;
    return { pid: holder.pid, startedAt: holder.startedAt ?? null };
  } catch {
    return undefined;
  }
};

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);
