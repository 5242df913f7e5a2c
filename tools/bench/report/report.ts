import { checkTargets, type TargetResult } from '../check-targets.js';
import type { BenchOptions } from '../options.js';
import type { Results } from '../run/results.js';
import { formatMachine, type Machine } from './describe-machine.js';
import { connectorTable } from './connector-table.js';
import { drainTable } from './drain-table.js';
import { deliveryTable, startTable, targetTable } from './other-tables.js';
import { syncTable } from './sync-table.js';
import { workloadTable } from './workload-table.js';

export interface Report {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly results: Results;
  readonly verdicts: readonly TargetResult[];
}

export const createReport = (
  machine: Machine,
  options: BenchOptions,
  results: Results,
): Report => ({
  machine,
  options,
  results,
  verdicts: checkTargets(results, options.sizes),
});

/** A table for each workload, then the targets. */
export const formatReport = ({ machine, options, results, verdicts }: Report): string => {
  const { starts, directoryStarts, syncs, workloads, deliveries, drains, connectors } = results;
  const { rounds, seconds, webhook } = options;
  return [
    `${formatMachine(machine)}\n${rounds} rounds of ${seconds} s; medians, ratios within a round; ` +
      `CPU of the process per request${webhook ? ', including deliveries' : ''}\n`,
    ...(starts.length > 0 ? [startTable([...starts, ...directoryStarts])] : []),
    ...(syncs.length > 0 ? [syncTable(syncs)] : []),
    ...workloads.map((result) => workloadTable(results, result)),
    ...(drains.length > 0 ? [drainTable(drains)] : []),
    ...(deliveries.length > 0 ? [deliveryTable(deliveries)] : []),
    ...(connectors.length > 0 ? [connectorTable(connectors)] : []),
    ...(verdicts.length > 0 ? [targetTable(verdicts)] : []),
  ].join('\n');
};

export const hasWrongResponse = ({ results }: Report): boolean =>
  results.syncs.some(({ wrong }) => wrong) ||
  results.workloads.some(({ performances }) => performances.some(({ wrong }) => wrong));
