import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import { isAlive } from './process-identity.js';
import { findServingMongod } from './serving-mongod.js';

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
