import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import { isAlive } from './process-identity.js';
import { runCommand } from './run-command.js';

const PATIENCE_MS = 10_000;
const POLL_MS = 25;

/**
 * Ends a mongod that a killed gateway left behind on this folder. Call it with the folder's lock
 * held: then whatever still serves the folder belongs to nobody.
 */
export const endOrphan = async (dbPath: string, log: EmbeddedLog): Promise<void> => {
  const pid = Number.parseInt(await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  if (!(pid > 0) || !isAlive(pid) || !(await commandLine(pid)).includes(dbPath)) return;
  log.warn({ pid }, 'Ending the mongod that the last run left behind');
  if (await ends(pid, 'SIGTERM')) return;
  if (await ends(pid, 'SIGKILL')) return;
  throw new Error(`An old mongod (process ${pid}) cannot be ended. End it and start again.`);
};

const ends = async (pid: number, signal: NodeJS.Signals): Promise<boolean> => {
  try {
    process.kill(pid, signal);
  } catch {
    return !isAlive(pid);
  }
  const deadline = Date.now() + PATIENCE_MS;
  while (isAlive(pid) && Date.now() < deadline) await wait(POLL_MS);
  return !isAlive(pid);
};

/** Numbers are given again, so the folder must stand on the command line of the process. */
const commandLine = async (pid: number): Promise<string> => {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    const options = { env: process.env, timeoutMs: 5_000 };
    return runCommand('ps', ['-o', 'command=', '-p', String(pid)], options).catch(() => '');
  }
};
