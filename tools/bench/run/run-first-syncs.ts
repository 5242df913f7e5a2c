import { readUsage } from '../../shared/process-usage.js';
import type { SyncResult } from '../load/provision.js';
import type { Attempt, WrongResponse } from '../load/clients.js';
import { startTestedServer, type PeerName, type TestedServer } from '../servers/start-server.js';
import type { BenchContext } from './bench-context.js';
import type { SyncRound, Syncs } from './results.js';
import type { BenchOptions } from '../options.js';
import { rotate } from './run-workloads.js';

const CLIENTS = 8;
const USERS_IN_GROUP = 100;

interface SyncRun {
  readonly peer: PeerName;
  /** Unique, since the database must be empty. */
  readonly label: string;
  readonly users: number;
}

/** One first sync in a new process. */
const syncOnce = async (
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

interface PeerRounds {
  readonly peer: PeerName;
  readonly rounds: SyncRound[];
  wrong?: WrongResponse;
}

/** W8: one peer at a time, in a new process without users, so that the memory peak is the sync's. */
export const runFirstSyncs = async (
  context: BenchContext,
  { peers, rounds, syncUsers }: BenchOptions,
): Promise<readonly Syncs[]> => {
  const entries = peers.map((peer): PeerRounds => ({ peer, rounds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    const walls: string[] = [];
    for (const entry of rotate(entries, round)) {
      if (entry.wrong) continue;
      const label = `sync-${entry.peer}-${round + 1}`;
      const { result, wrong } = await syncOnce(context, {
        peer: entry.peer,
        label,
        users: syncUsers,
      });
      if (wrong) entry.wrong = wrong;
      if (!result) continue;
      entry.rounds.push(result);
      walls.push(`${entry.peer} ${result.wall.toFixed(1)} s`);
    }
    context.report(`W8 round ${round + 1}: ${walls.join(', ')}`);
  }
  return entries.map((entry) => ({ ...entry, users: syncUsers }));
};
