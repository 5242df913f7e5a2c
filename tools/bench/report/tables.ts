import type { Column } from '../../../src/cli/table.js';
import { ratioOf, spreadOf } from '../../shared/statistics.js';
import {
  formatNumber,
  numberColumn as number,
  tableOf,
  textColumn as text,
} from '../../shared/tables.js';
import type {
  ConnectorRun,
  ConnectorRuns,
  Drains,
  Performance,
  Results,
  Starts,
  Syncs,
  WorkloadResult,
} from '../run/results.js';
import { formatSize, type PeerName } from '../servers/start-server.js';
import { rateOver } from './comparisons.js';

interface Rounds<Round> {
  readonly rounds: readonly Round[];
}

const valuesOf = <Round>({ rounds }: Rounds<Round>, field: keyof Round): readonly number[] =>
  rounds.map((round) => Number(round[field]));

/** The median of the rounds. */
const median = <Round, Row extends Rounds<Round>>(
  title: string,
  field: keyof Row['rounds'][number],
): Column<Row> =>
  number(title, (row) => spreadOf(valuesOf<Row['rounds'][number]>(row, field)).median);

const rangeOf = (values: readonly number[]): string => {
  const { min, max } = spreadOf(values);
  return `${formatNumber(min)}–${formatNumber(max)}`;
};

const withRange = (values: readonly number[]): string =>
  `${formatNumber(spreadOf(values).median)} (${rangeOf(values)})`;

const startTable = (starts: readonly Starts[]): string =>
  tableOf('W9  start with the database running, and idle memory', starts, [
    text('peer', ({ peer }) => peer),
    text('start ms', ({ startMs }) => withRange(startMs)),
    text('idle RSS MB', ({ idleRss }) => withRange(idleRss)),
  ]);

const syncTable = (syncs: readonly Syncs[]): string => {
  const ratioTo = (name: PeerName): Column<Syncs> => {
    const other = syncs.find(({ peer }) => peer === name);
    return number(
      `÷ ${name}`,
      (line) => other && ratioOf(valuesOf(line, 'wall'), valuesOf(other, 'wall')).median,
    );
  };
  const users = formatSize(syncs[0]?.users ?? NaN);
  return tableOf(`W8  first sync of ${users} users and their groups of 100, 8 clients`, syncs, [
    text('peer', ({ peer }) => peer),
    median('wall s', 'wall'),
    text('range', (line) => rangeOf(valuesOf(line, 'wall'))),
    ratioTo('plain'),
    median('CPU s', 'cpu'),
    median('mongod s', 'databaseCpu'),
    median('peak RSS MB', 'peak'),
  ]);
};

/** One workload: a line for each server. */
const workloadTable = (workload: WorkloadResult): string => {
  const ratioTo = (peer: PeerName): Column<Performance> =>
    number(`÷ ${peer}`, (performance) => rateOver(workload, performance, peer));
  return tableOf(`${workload.id}  ${workload.title}`, workload.performances, [
    text('peer', ({ label }) => label),
    median('correct/s', 'rate'),
    text('range', (performance) => rangeOf(valuesOf(performance, 'rate'))),
    ratioTo('plain'),
    median('CPU ms', 'cpu'),
    median('mongod ms', 'databaseCpu'),
    median('p50 ms', 'p50'),
    median('p99 ms', 'p99'),
    median('RSS MB', 'rss'),
  ]);
};

const drainTable = (drains: readonly Drains[]): string => {
  const title = `drain  a backlog of ${drains[0]?.deliveries} deliveries over HTTPS`;
  return tableOf(title, drains, [
    text('', ({ name }) => name),
    text('events/s', (drain) => withRange(valuesOf(drain, 'rate'))),
    text('CPU µs an event', (drain) => withRange(valuesOf(drain, 'cpuMicros'))),
    text('mongod µs', (drain) => withRange(valuesOf(drain, 'databaseMicros'))),
  ]);
};

const connectorTable = (connectors: readonly ConnectorRuns[]): string => {
  const rows = connectors.flatMap(({ employees, runs }) =>
    runs.map((run): ConnectorRun & { readonly employees: number } => ({ employees, ...run })),
  );
  return tableOf('connectors  employees from a CSV file', rows, [
    text('employees', ({ employees }) => formatSize(employees)),
    text('run', ({ name }) => name),
    number('wall s', ({ wall }) => wall),
    number('employees/s', ({ rate }) => rate),
    number('CPU s', ({ cpu }) => cpu),
    number('mongod s', ({ databaseCpu }) => databaseCpu),
    number('peak RSS MB', ({ peak }) => peak),
    number('writes to users', ({ userWrites }) => userWrites),
  ]);
};

/** A table for everything that was measured. */
export const tablesOf = (results: Results): readonly string[] => {
  const { starts, syncs, workloads, drains, connectors } = results;
  return [
    ...(starts.length > 0 ? [startTable(starts)] : []),
    ...(syncs.length > 0 ? [syncTable(syncs)] : []),
    ...workloads.map(workloadTable),
    ...(drains.length > 0 ? [drainTable(drains)] : []),
    ...(connectors.length > 0 ? [connectorTable(connectors)] : []),
  ];
};
