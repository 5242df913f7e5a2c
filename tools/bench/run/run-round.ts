import { readUsage } from '../../shared/process-usage.js';
import type { LoadStats, WrongResponse } from '../load/load-recorder.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { Workload } from '../workloads.js';
import type { BenchContext } from './bench-context.js';
import type { Round } from './results.js';

interface RoundResult {
  readonly round: Round;
  readonly wrong?: WrongResponse;
}

/** One round of one server, including its deliveries. */
export const runRound = async (
  context: BenchContext,
  server: TestedServer,
  workload: Workload,
  seconds: number,
): Promise<RoundResult> => {
  const { database, load } = context;
  const { label, process, waitForDeliveries } = server;
  const pids = [process.pid, database.pid] as const;
  const [before, databaseBefore] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const { operation, clients, fixture } = workload;
  const stats = await load.call('run', { label, operation, fixture, clients, seconds });
  if (!stats.wrong) await waitForDeliveries(stats.requests * workload.events);
  const [after, databaseAfter] = await Promise.all([readUsage(pids[0]), readUsage(pids[1])]);
  const perRequest = (cpuMs: number): number => cpuMs / stats.requests;
  return {
    round: {
      ...ratesOf(stats),
      cpu: perRequest(after.cpuMs - before.cpuMs),
      databaseCpu: perRequest(databaseAfter.cpuMs - databaseBefore.cpuMs),
      rss: after.rssMb,
    },
    ...(stats.wrong && { wrong: stats.wrong }),
  };
};

const ratesOf = ({ requests, seconds, p50, p99 }: LoadStats) => ({
  rate: requests / seconds,
  p50,
  p99,
});
