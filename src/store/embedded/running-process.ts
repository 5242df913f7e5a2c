import { readFileSync } from 'node:fs';
import { readFile, access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type EmbeddedLog, runCommand } from './mongod-source.js';
import { mongodAddress, readMongodKey, HOST } from './mongod-settings.js';

/** Identifies a process, even if its id is reused later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and the clock tick of its start; null if the system has no /proc. */
  readonly startedAt: string | null;
}

export const identify = async (pid: number): Promise<ProcessIdentity> => ({
  pid,
  startedAt: await startOf(pid),
});

/** Whether this process still runs. */
export const isRunning = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  return startedAt === null || startedAt === (await startOf(pid));
};

/**
 * Whether a process with this id runs; one that has exited and was not reaped does not.
 * @internal
 */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isDefunct(pid);
};

/**
 * A zombie accepts signals like any process. In a container whose first process does not reap
 * orphans, such as `sh` or `node`, it stays forever. False if there is no /proc.
 */
const isDefunct = (pid: number): boolean => {
  try {
    return DEFUNCT.includes(fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))[0] ?? '');
  } catch {
    return false;
  }
};

/** proc(5): zombie; dead, exiting. */
const DEFUNCT = ['Z', 'X', 'x'];

/** The boot, and the clock ticks from there to its start. */
const startOf = async (pid: number): Promise<string | null> => {
  const boot = await readText('/proc/sys/kernel/random/boot_id');
  const stat = await readText(`/proc/${pid}/stat`);
  const ticks = stat === undefined ? undefined : fieldsOf(stat)[19];
  return boot === undefined || ticks === undefined ? null : `${boot.trim()} ${ticks}`;
};

/**
 * The fields from the state on: the program's name before it, in parentheses, may contain spaces
 * and parentheses.
 */
const fieldsOf = (stat: string): readonly string[] =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ');

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);

/** A mongod process that has a folder open. */
interface ServingMongod {
  readonly pid: number;
  /** The port it listens on; undefined if its command line does not have it. */
  readonly port: number | undefined;
}

/** The mongod that serves the folder, if any, no matter who started it. */
export const findServingMongod = async (dbPath: string): Promise<ServingMongod | undefined> => {
  const pid = Number.parseInt(await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  if (!(pid > 0) || !isAlive(pid)) return undefined;
  const line = await commandLine(pid);
  // Process ids are reused, and a copied folder names the mongod of the original: so this folder
  // must be on the command line of the process.
  return SEPARATORS.some((end) => `${line}${end}`.includes(`--dbpath${end}${dbPath}${end}`))
    ? { pid, port: portIn(line) }
    : undefined;
};

/** Arguments are separated by NUL in /proc, by spaces in the output of ps. */
const SEPARATORS = ['\0', ' '];

const portIn = (line: string): number | undefined => {
  const [, port] = /--port[\0 =](\d+)/.exec(line) ?? [];
  return port === undefined ? undefined : Number(port);
};

const commandLine = async (pid: number): Promise<string> => {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    const options = { env: process.env, timeoutMs: 5_000 };
    return runCommand('ps', ['-o', 'command=', '-p', String(pid)], options).catch(() => '');
  }
};

const TIMEOUT_MS = 10_000;
const POLL_MS = 25;

/**
 * Stops a mongod that a killed gateway left on this folder. The caller holds the lock of the data
 * folder, so no running gateway uses this mongod.
 */
export const stopOrphan = async (dbPath: string, log: EmbeddedLog): Promise<void> => {
  const serving = await findServingMongod(dbPath);
  if (serving === undefined) return;
  const { pid } = serving;
  log.warn({ pid }, 'Stopping the mongod that the last run left behind');
  if (await stopsOn(pid, 'SIGTERM')) return;
  if (await stopsOn(pid, 'SIGKILL')) return;
  throw new Error(
    `The mongod of the last run (process ${pid}) cannot be stopped. Stop it and start again.`,
  );
};

const stopsOn = async (pid: number, signal: NodeJS.Signals): Promise<boolean> => {
  try {
    process.kill(pid, signal);
  } catch {
    return !isAlive(pid);
  }
  const deadline = Date.now() + TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < deadline) await wait(POLL_MS);
  return !isAlive(pid);
};

/** The embedded mongod that a gateway is running in the data folder. */
export interface RunningMongod {
  readonly pid: number;
  /** Contains the key to the database: not to be shown. */
  readonly uri: string;
}

/**
 * Undefined if none runs. Rejects if the folder is not readable because it belongs to another
 * account.
 */
export const findRunningMongod = async (dataDir: string): Promise<RunningMongod | undefined> => {
  const folder = resolve(dataDir);
  const dbPath = join(folder, 'db');
  if (!(await isReadable(dbPath))) return undefined;
  const serving = await findServingMongod(dbPath);
  if (serving?.port === undefined) return undefined;
  const address = mongodAddress(`${HOST}:${serving.port}`, await readMongodKey(folder));
  const uri = `${address}/rollgate?authSource=local&directConnection=true`;
  return { pid: serving.pid, uri };
};

/** False if it does not exist; rejects if it is not accessible. */
const isReadable = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};
