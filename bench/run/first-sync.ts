import type { Contestant, PeerName } from '../contestants/contestant.js';
import { readUsage } from '../../tooling/process-usage.js';
import { startContestant } from '../contestants/start-contestant.js';
import type { Tried } from '../load/ask.js';
import type { Synced } from '../load/first-sync.js';
import type { SyncRound } from './results.js';
import type { World } from './world.js';

const CLIENTS = 8;
const USERS_IN_GROUP = 100;

export interface SyncTurn {
  readonly peer: PeerName;
  /** Of no other: its database has to be empty. */
  readonly label: string;
  readonly users: number;
}

/** One first sync of a process that has done nothing yet. */
export const syncOnce = async (
  world: World,
  { peer, label, users }: SyncTurn,
): Promise<Tried<SyncRound>> => {
  const contestant = await startContestant(peer, world.settingFor(label, 0));
  try {
    return await measureSync(world, contestant, users);
  } finally {
    await contestant.server.stop();
  }
};

const measureSync = async (
  world: World,
  contestant: Contestant,
  users: number,
): Promise<Tried<SyncRound>> => {
  const { load, database } = world;
  const { server, target } = contestant;
  const pids = [server.pid, database.pid] as const;
  const [before, databaseBefore] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const { result: synced, wrong } = await syncTo(world, contestant, users);
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

/** Brings the organisation over, to the last delivery. */
export const syncTo = async (
  { load }: World,
  { target, settled }: Contestant,
  users: number,
): Promise<Tried<Synced>> => {
  const plan = { users, usersInGroup: USERS_IN_GROUP };
  const synced = await load.call('sync', { target, clients: CLIENTS, plan });
  if (synced.result) await settled(synced.result.events);
  return synced;
};
