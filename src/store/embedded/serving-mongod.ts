import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import { isAlive } from './process-identity.js';
import { runCommand } from './run-command.js';

/** A mongod process that has a folder open. */
export interface ServingMongod {
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
