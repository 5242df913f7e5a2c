import type { Contestant } from '../contestants/contestant.js';
import { readUsage } from '../../tooling/process-usage.js';
import type { Tallied, Wrong } from '../load/tally.js';
import type { Workload } from '../workloads.js';
import type { Round } from './results.js';
import type { World } from './world.js';

export interface RoundOutcome {
  readonly round: Round;
  readonly wrong?: Wrong;
}

/** One turn of one contestant, to the last delivery that it owes. */
export const runRound = async (
  world: World,
  contestant: Contestant,
  workload: Workload,
  seconds: number,
): Promise<RoundOutcome> => {
  const { database, load } = world;
  const { label, server, settled } = contestant;
  const pids = [server.pid, database.pid] as const;
  const [before, databaseBefore] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const { work, clients, scene } = workload;
  const tallied = await load.call('run', { label, work, scene, clients, seconds });
  if (!tallied.wrong) await settled(tallied.requests * workload.events);
  const [after, databaseAfter] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const perRequest = (cpuMs: number): number => cpuMs / tallied.requests;
  return {
    round: {
      ...paceOf(tallied),
      cpu: perRequest(after.cpuMs - before.cpuMs),
      databaseCpu: perRequest(databaseAfter.cpuMs - databaseBefore.cpuMs),
      rss: after.rssMb,
    },
    ...(tallied.wrong && { wrong: tallied.wrong }),
  };
};

const paceOf = ({ requests, seconds, p50, p99 }: Tallied) => ({
  rate: requests / seconds,
  p50,
  p99,
});
