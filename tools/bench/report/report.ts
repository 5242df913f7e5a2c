import type { Machine } from '../../shared/describe-machine.js';
import type { BenchOptions } from '../options.js';
import type { Results } from '../run/results.js';
import { compareWithPeers, type Comparison } from './comparisons.js';
import { tablesOf } from './tables.js';

/** The machine and its database. */
export interface BenchMachine extends Machine {
  readonly mongod: string;
}

const formatMachine = (machine: BenchMachine): string => {
  const { date, commit, cores, cpu, memoryGb, node, mongod, loadAverage } = machine;
  return [
    `${date}, commit ${commit}`,
    `${cores} × ${cpu}, ${memoryGb} GB, load average ${loadAverage.toFixed(1)} at the start`,
    `Node ${node}, mongod ${mongod} as a replica set of one, journaled majority writes`,
  ].join('\n');
};

interface Report {
  readonly machine: BenchMachine;
  readonly options: BenchOptions;
  readonly results: Results;
  /** With the users of the first size. */
  readonly comparisons: readonly Comparison[];
}

export const createReport = (
  machine: BenchMachine,
  options: BenchOptions,
  results: Results,
): Report => ({
  machine,
  options,
  results,
  comparisons: compareWithPeers(results, options.peers, options.sizes[0] ?? NaN),
});

/** The machine, and a table for each workload. */
export const formatReport = ({ machine, options, results }: Report): string => {
  const { rounds, seconds, webhook } = options;
  return [
    `${formatMachine(machine)}\n${rounds} rounds of ${seconds} s; medians, ratios within a round; ` +
      `CPU of the process per request${webhook ? ', including deliveries' : ''}\n`,
    ...tablesOf(results),
  ].join('\n');
};
