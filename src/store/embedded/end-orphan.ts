import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import { isAlive } from './process-identity.js';
import { findServingMongod } from './serving-mongod.js';

const PATIENCE_MS = 10_000;
const POLL_MS = 25;

/**
 * Ends a mongod that a killed gateway left behind on this folder. Call it with the folder's lock
 * held: then whatever still serves the folder belongs to nobody.
 */
export const endOrphan = async (dbPath: string, log: EmbeddedLog): Promise<void> => {
  const serving = await findServingMongod(dbPath);
  if (serving === undefined) return;
  const { pid } = serving;
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
