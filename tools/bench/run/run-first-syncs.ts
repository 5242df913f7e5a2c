import { startTestedServer, type PeerName } from '../servers/start-server.js';
import { type BenchContext, measureUsage } from './bench-context.js';
import type { SyncRound, Syncs } from './results.js';
import type { BenchOptions } from '../options.js';
import { rotate } from './run-workloads.js';

const CLIENTS = 8;
const USERS_IN_GROUP = 100;

/** One first sync in a new process, with its deliveries. */
const syncOnce = async (
  context: BenchContext,
  peer: PeerName,
  { label, users }: { readonly label: string; readonly users: number },
): Promise<SyncRound> => {
  const { load } = context;
  const server = await startTestedServer(peer, context.settingFor(label, 0));
  const { target } = server;
  try {
    const measured = await measureUsage(context, server, async () => {
      const plan = { users, usersInGroup: USERS_IN_GROUP };
      const synced = await load.call('sync', { target, clients: CLIENTS, plan });
      await server.waitForDeliveries(synced.events);
      return synced;
    });
    const { result, cpuMs, databaseCpuMs, peak } = measured;
    await load.call('checkSync', { target, users, groups: result.groups });
    const [cpu, databaseCpu] = [cpuMs / 1_000, databaseCpuMs / 1_000];
    return { wall: result.seconds, cpu, databaseCpu, peak };
  } finally {
    await server.process.stop();
  }
};

/** W8: one peer at a time, in a new process without users, so that the memory peak is the sync's. */
export const runFirstSyncs = async (
  context: BenchContext,
  { peers, rounds: count, syncUsers: users }: BenchOptions,
): Promise<readonly Syncs[]> => {
  const syncs = peers.map((peer) => ({ peer, users, rounds: [] as SyncRound[] }));
  for (let round = 0; round < count; round += 1) {
    const walls: string[] = [];
    for (const { peer, rounds } of rotate(syncs, round)) {
      const label = `sync-${peer}-${round + 1}`;
      const measured = await syncOnce(context, peer, { label, users });
      rounds.push(measured);
      walls.push(`${peer} ${measured.wall.toFixed(1)} s`);
    }
    context.report(`W8 round ${round + 1}: ${walls.join(', ')}`);
  }
  return syncs;
};
