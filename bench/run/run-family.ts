import type { Contestant } from '../contestants/contestant.js';
import type { BenchOptions } from '../options.js';
import type { Workload } from '../workloads.js';
import type { WorkloadResult } from './results.js';
import { startRecord } from './workload-record.js';
import type { World } from './world.js';

const mayTakePart =
  ({ only }: Workload) =>
  ({ peer }: Contestant): boolean =>
    only === undefined || peer === only;

/** Workloads that share their rounds, each round going round the contestants, after a warm-up. */
export const runFamily = async (
  world: World,
  contestants: readonly Contestant[],
  workloads: readonly Workload[],
  { rounds, seconds, warmUpSeconds }: BenchOptions,
): Promise<readonly WorkloadResult[]> => {
  const records = workloads
    .map((workload) => ({ workload, able: contestants.filter(mayTakePart(workload)) }))
    .filter(({ able }) => able.length > 0)
    .map(({ workload, able }) => startRecord(world, able, workload));
  for (const record of records) await record.prepare(warmUpSeconds);
  for (let number = 0; number < rounds; number += 1) {
    for (const record of records) await record.round(number, seconds);
  }
  for (const record of records) await record.check();
  return records.map((record) => record.result());
};
