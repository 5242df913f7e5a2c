import { createPaint } from '../../../src/cli/terminal-text.js';
import { type Column, renderTable } from '../../../src/cli/table.js';
import { ratioOf, spreadOf } from '../../shared/statistics.js';
import type { WrongResponse } from '../load/clients.js';
import { performanceOf, ratioBetween } from '../measures.js';
import type {
  ConnectorRun,
  ConnectorRuns,
  DeliveryTimes,
  Drains,
  Performance,
  Results,
  Starts,
  Syncs,
  WorkloadResult,
} from '../run/results.js';
import { formatSize, type PeerName } from '../servers/start-server.js';
import { NOISE, type TargetResult } from '../targets.js';

const SIGNIFICANT = 3;

/** Three significant digits without an exponent; a dash if there is no number. */
const formatNumber = (value: number | undefined): string => {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  if (value === 0) return '0';
  const decimals = SIGNIFICANT - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(SIGNIFICANT, Math.max(0, decimals)));
};

const formatPercent = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(Math.round(share * 100))} %`;

const PLAIN = createPaint(false);

const tableOf = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): string => `${title}\n${rows.length === 0 ? '' : renderTable(columns, rows, PLAIN)}`;

const text = <Row>(title: string, cell: (row: Row) => string): Column<Row> => ({ title, cell });

const number = <Row>(title: string, value: (row: Row) => number | undefined): Column<Row> => ({
  title,
  align: 'right',
  cell: (row) => formatNumber(value(row)),
});

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

interface Correctness {
  readonly peer: string;
  readonly label?: string;
  readonly wrong?: WrongResponse;
}

/** The wrong responses, below the table of the servers without one. */
const formatWrong = (servers: readonly Correctness[]): string =>
  servers
    .map(({ peer, label = peer, wrong }) => {
      if (!wrong) return '';
      const { request, why, body } = wrong;
      return `${label}: × ${request}: ${why}\n${body === undefined ? '' : `  ${body}\n`}`;
    })
    .join('');

const startTable = (starts: readonly Starts[]): string =>
  tableOf('W9  start with the database running, and idle memory', starts, [
    text('peer', ({ peer }) => peer),
    text('users', ({ users }) => (users ? formatSize(users) : '0')),
    text('start ms', ({ startMs }) => withRange(startMs)),
    text('idle RSS MB', ({ idleRss }) => withRange(idleRss)),
  ]);

const syncTable = (syncs: readonly Syncs[]): string => {
  const correct = syncs.filter(({ wrong }) => !wrong);
  const users = formatSize(syncs[0]?.users ?? NaN);
  const ratioTo = (name: PeerName): Column<Syncs> => {
    const other = correct.find(({ peer }) => peer === name);
    return number(
      `÷ ${name}`,
      (line) => other && ratioOf(valuesOf(line, 'wall'), valuesOf(other, 'wall')).median,
    );
  };
  const table = tableOf<Syncs>(
    `W8  first sync of ${users} users and their groups of 100, 8 clients`,
    correct,
    [
      text('peer', ({ peer }) => peer),
      median('wall s', 'wall'),
      text('range', (line) => rangeOf(valuesOf(line, 'wall'))),
      ratioTo('floor'),
      ratioTo('plain'),
      median('CPU s', 'cpu'),
      median('mongod s', 'databaseCpu'),
      median('peak RSS MB', 'peak'),
    ],
  );
  return table + formatWrong(syncs);
};

/** One workload: a line for each server. */
const workloadTable = (results: Results, { id, title, performances }: WorkloadResult): string => {
  const ratioTo = (peer: PeerName): Column<Performance> =>
    number(`÷ ${peer}`, (performance) =>
      ratioBetween(performance, performanceOf(results, id, peer, performance.size), 'rate'),
    );
  const correct = performances.filter(({ wrong }) => !wrong);
  const table = tableOf<Performance>(`${id}  ${title}`, correct, [
    text('peer', ({ label }) => label),
    median('correct/s', 'rate'),
    text('range', (performance) => rangeOf(valuesOf(performance, 'rate'))),
    ratioTo('floor'),
    ratioTo('plain'),
    median('CPU ms', 'cpu'),
    median('mongod ms', 'databaseCpu'),
    median('p50 ms', 'p50'),
    median('p99 ms', 'p99'),
    median('RSS MB', 'rss'),
  ]);
  return table + formatWrong(performances);
};

const drainTable = (drains: readonly Drains[]): string => {
  const title = `webhooks-drain  a backlog of ${drains[0]?.deliveries} deliveries over HTTPS`;
  return tableOf(title, drains, [
    text('', ({ name }) => name),
    text('events/s', (drain) => withRange(valuesOf(drain, 'rate'))),
    text('CPU µs an event', (drain) => withRange(valuesOf(drain, 'cpuMicros'))),
    text('mongod µs', (drain) => withRange(valuesOf(drain, 'databaseMicros'))),
  ]);
};

const deliveryTable = (deliveries: readonly DeliveryTimes[]): string =>
  tableOf('webhooks  50 events/s, ms until the event arrives', deliveries, [
    text('peer', ({ label }) => label),
    text('events', ({ events }) => String(events)),
    number('p50 after the response', ({ afterAnswer }) => afterAnswer.p50),
    number('p50 after the request', ({ afterRequest }) => afterRequest.p50),
    number('p99 after the response', ({ afterAnswer }) => afterAnswer.p99),
    number('p99 after the request', ({ afterRequest }) => afterRequest.p99),
  ]);

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

const BOUNDS = { 'at least': '≥', 'at most': '≤' } as const;

const targetTable = (verdicts: readonly TargetResult[]): string =>
  tableOf('targets', verdicts, [
    text('', ({ isMet }) => (isMet ? '✔' : '✘')),
    text('workload', ({ workload }) => workload),
    text('users', ({ size }) => (size === undefined ? '' : formatSize(size))),
    text('', ({ kind }) => kind),
    text('what', ({ claim }) => claim),
    number('measured', ({ measured }) => measured),
    text('bound', ({ bound, value }) => `${BOUNDS[bound]} ${value}`),
    text('margin', ({ margin }) => formatPercent(margin)),
    text('', ({ margin }) => (Math.abs(margin) < NOISE ? 'within the noise' : '')),
  ]);

/** A table for everything that was measured, then the targets. */
export const tablesOf = (
  results: Results,
  verdicts: readonly TargetResult[],
): readonly string[] => {
  const { starts, directoryStarts, syncs, workloads, deliveries, drains, connectors } = results;
  return [
    ...(starts.length > 0 ? [startTable([...starts, ...directoryStarts])] : []),
    ...(syncs.length > 0 ? [syncTable(syncs)] : []),
    ...workloads.map((result) => workloadTable(results, result)),
    ...(drains.length > 0 ? [drainTable(drains)] : []),
    ...(deliveries.length > 0 ? [deliveryTable(deliveries)] : []),
    ...(connectors.length > 0 ? [connectorTable(connectors)] : []),
    ...(verdicts.length > 0 ? [targetTable(verdicts)] : []),
  ];
};
