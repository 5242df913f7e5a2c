import { judge, type Verdict } from '../judge.js';
import type { BenchOptions } from '../options.js';
import type { Results } from '../run/results.js';
import { type Machine, machineInWords } from './describe-machine.js';
import { drainTable } from './drain-table.js';
import { deliveryTable, startTable, verdictTable } from './other-tables.js';
import { syncTable } from './sync-table.js';
import { workloadTable } from './workload-table.js';

export interface Report {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly results: Results;
  readonly verdicts: readonly Verdict[];
}

export const makeReport = (machine: Machine, options: BenchOptions, results: Results): Report => ({
  machine,
  options,
  results,
  verdicts: judge(results, options.sizes),
});

/** For people: a table a workload, then the targets. */
export const inWords = ({ machine, options, results, verdicts }: Report): string => {
  const { starts, syncs, workloads, deliveries, drains } = results;
  const { rounds, seconds, webhook } = options;
  return [
    `${machineInWords(machine)}\n${rounds} rounds of ${seconds} s; medians, ratios within a round; ` +
      `CPU of the process for each request${webhook ? ', the gateway with its delivery' : ''}\n`,
    ...(starts.length > 0 ? [startTable(starts)] : []),
    ...(syncs.length > 0 ? [syncTable(syncs)] : []),
    ...workloads.map((result) => workloadTable(results, result)),
    ...(drains.length > 0 ? [drainTable(drains)] : []),
    ...(deliveries.length > 0 ? [deliveryTable(deliveries)] : []),
    ...(verdicts.length > 0 ? [verdictTable(verdicts)] : []),
  ].join('\n');
};

/** Whether any answer was wrong. */
export const hasWrong = ({ results }: Report): boolean =>
  results.syncs.some(({ wrong }) => wrong) ||
  results.workloads.some(({ performances }) => performances.some(({ wrong }) => wrong));
