import { createPaint } from '../../src/cli/paint.js';
import { type Column, renderTable } from '../../src/cli/table.js';
import { performanceOf, ratioBetween } from '../measures.js';
import type { PeerName } from '../contestants/contestant.js';
import type { Performance, Results, Round, WorkloadResult } from '../run/results.js';
import { spreadOf } from '../../tooling/statistics.js';
import { inDigits } from './in-digits.js';
import { wrongLines } from './wrong-lines.js';

const plainText = createPaint(false);

const spread = ({ rounds }: Performance, field: keyof Round) =>
  spreadOf(rounds.map((round) => round[field]));

const medianColumn = (title: string, field: keyof Round): Column<Performance> => ({
  title,
  align: 'right',
  cell: (performance) => inDigits(spread(performance, field).median),
});

const range = (performance: Performance): string => {
  const { least, most } = spread(performance, 'rate');
  return `${inDigits(least)}–${inDigits(most)}`;
};

const ratioColumn = (results: Results, id: string, peer: PeerName): Column<Performance> => ({
  title: `÷ ${peer}`,
  align: 'right',
  cell: (performance) =>
    inDigits(ratioBetween(performance, performanceOf(results, id, peer, performance.size), 'rate')),
});

const columnsFor = (results: Results, id: string): readonly Column<Performance>[] => [
  { title: 'peer', cell: ({ label }) => label },
  medianColumn('right/s', 'rate'),
  { title: 'range', cell: range },
  ratioColumn(results, id, 'floor'),
  ratioColumn(results, id, 'plain'),
  medianColumn('CPU ms', 'cpu'),
  medianColumn('mongod ms', 'databaseCpu'),
  medianColumn('p50 ms', 'p50'),
  medianColumn('p99 ms', 'p99'),
  medianColumn('RSS MB', 'rss'),
];

/** One workload: every contestant a line; what answered wrongly is told instead of measured. */
export const workloadTable = (results: Results, result: WorkloadResult): string => {
  const { id, title, performances } = result;
  const right = performances.filter(({ wrong }) => !wrong);
  const table = right.length > 0 ? renderTable(columnsFor(results, id), right, plainText) : '';
  return `${id}  ${title}\n${table}${performances.map(wrongLines).join('')}`;
};
