import type { BenchOptions } from '../options.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { Workload } from '../workloads.js';
import type { BenchContext } from './bench-context.js';
import type { WorkloadResult } from './results.js';
import { createWorkloadRun } from './workload-run.js';

const canRun =
  ({ only }: Workload) =>
  ({ peer }: TestedServer): boolean =>
    only === undefined || peer === only;

/** Runs the workloads of a family in turns on all servers, after a warm-up. */
export const runFamily = async (
  context: BenchContext,
  servers: readonly TestedServer[],
  workloads: readonly Workload[],
  { rounds, seconds, warmUpSeconds }: BenchOptions,
): Promise<readonly WorkloadResult[]> => {
  const runs = workloads
    .map((workload) => ({ workload, participants: servers.filter(canRun(workload)) }))
    .filter(({ participants }) => participants.length > 0)
    .map(({ workload, participants }) => createWorkloadRun(context, participants, workload));
  for (const run of runs) await run.prepare(warmUpSeconds);
  for (let number = 0; number < rounds; number += 1) {
    for (const run of runs) await run.round(number, seconds);
  }
  for (const run of runs) await run.check();
  return runs.map((run) => run.result());
};
