import { readUsage } from '../../shared/process-usage.js';
import type { SyncResult } from '../load/first-sync.js';
import type { Attempt } from '../load/send-checked.js';
import { startTestedServer } from '../servers/start-tested-server.js';
import type { PeerName, TestedServer } from '../servers/tested-server.js';
import type { BenchContext } from './bench-context.js';
import type { SyncRound } from './results.js';

const CLIENTS = 8;
const USERS_IN_GROUP = 100;

export interface SyncRun {
  readonly peer: PeerName;
  /** Unique, since the database must be empty. */
  readonly label: string;
  readonly users: number;
}

/** One first sync in a new process. */
export const syncOnce = async (
  context: BenchContext,
  { peer, label, users }: SyncRun,
): Promise<Attempt<SyncRound>> => {
  const tested = await startTestedServer(peer, context.settingFor(label, 0));
  try {
    return await measureSync(context, tested, users);
  } finally {
    await tested.process.stop();
  }
};

const measureSync = async (
  context: BenchContext,
  tested: TestedServer,
  users: number,
): Promise<Attempt<SyncRound>> => {
  const { load, database } = context;
  const { process, target } = tested;
  const pids = [process.pid, database.pid] as const;
  const [before, databaseBefore] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const { result: synced, wrong } = await syncTo(context, tested, users);
  if (wrong) return { wrong };
  const [after, databaseAfter] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const check = await load.call('checkSync', { target, users, groups: synced.groups });
  if (check.wrong) return { wrong: check.wrong };
  return {
    result: {
      wall: synced.seconds,
      cpu: (after.cpuMs - before.cpuMs) / 1_000,
      databaseCpu: (databaseAfter.cpuMs - databaseBefore.cpuMs) / 1_000,
      peak: after.peakMb,
    },
  };
};

/** Syncs an organisation and waits for the deliveries. */
export const syncTo = async (
  { load }: BenchContext,
  { target, waitForDeliveries }: TestedServer,
  users: number,
): Promise<Attempt<SyncResult>> => {
  const plan = { users, usersInGroup: USERS_IN_GROUP };
  const synced = await load.call('sync', { target, clients: CLIENTS, plan });
  if (synced.result) await waitForDeliveries(synced.result.events);
  return synced;
};
