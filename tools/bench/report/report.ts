import { execFile } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { ROOT } from '../build.js';
import type { BenchOptions } from '../options.js';
import type { Results } from '../run/results.js';
import { compareWithPeers, type Comparison } from './comparisons.js';
import { tablesOf } from './tables.js';

/** The machine and the versions that were measured. */
interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly mongod: string;
  /** Of the last minute. */
  readonly loadAverage: number;
}

const commit = async (): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], {
      cwd: ROOT,
    });
    return stdout.trim();
  } catch {
    return 'unknown';
  }
};

export const describeMachine = async (mongod: string): Promise<Machine> => ({
  date: new Date().toISOString(),
  commit: await commit(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  mongod,
  loadAverage: loadavg()[0] ?? NaN,
});

const formatMachine = (machine: Machine): string => {
  const { date, commit, cores, cpu, memoryGb, node, mongod, loadAverage } = machine;
  return [
    `${date}, commit ${commit}`,
    `${cores} × ${cpu}, ${memoryGb} GB, load average ${loadAverage.toFixed(1)} at the start`,
    `Node ${node}, mongod ${mongod} as a replica set of one, journaled majority writes`,
  ].join('\n');
};

interface Report {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly results: Results;
  /** With the users of the first size. */
  readonly comparisons: readonly Comparison[];
}

export const createReport = (
  machine: Machine,
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
