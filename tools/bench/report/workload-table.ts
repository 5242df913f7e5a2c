import { createPaint } from '../../../src/cli/terminal-text.js';
import { type Column, renderTable } from '../../../src/cli/table.js';
import { spreadOf } from '../../shared/statistics.js';
import { performanceOf, ratioBetween } from '../measures.js';
import type { Performance, Results, Round, WorkloadResult } from '../run/results.js';
import type { PeerName } from '../servers/tested-server.js';
import { formatNumber } from './format-number.js';
import { formatWrongResponse } from './format-wrong-response.js';

const plainText = createPaint(false);

const spread = ({ rounds }: Performance, field: keyof Round) =>
  spreadOf(rounds.map((round) => round[field]));

const medianColumn = (title: string, field: keyof Round): Column<Performance> => ({
  title,
  align: 'right',
  cell: (performance) => formatNumber(spread(performance, field).median),
});

const range = (performance: Performance): string => {
  const { min, max } = spread(performance, 'rate');
  return `${formatNumber(min)}–${formatNumber(max)}`;
};

const ratioColumn = (results: Results, id: string, peer: PeerName): Column<Performance> => ({
  title: `÷ ${peer}`,
  align: 'right',
  cell: (performance) =>
    formatNumber(
      ratioBetween(performance, performanceOf(results, id, peer, performance.size), 'rate'),
    ),
});

const columnsFor = (results: Results, id: string): readonly Column<Performance>[] => [
  { title: 'peer', cell: ({ label }) => label },
  medianColumn('correct/s', 'rate'),
  { title: 'range', cell: range },
  ratioColumn(results, id, 'floor'),
  ratioColumn(results, id, 'plain'),
  medianColumn('CPU ms', 'cpu'),
  medianColumn('mongod ms', 'databaseCpu'),
  medianColumn('p50 ms', 'p50'),
  medianColumn('p99 ms', 'p99'),
  medianColumn('RSS MB', 'rss'),
];

/** One workload: a line for each server. */
export const workloadTable = (results: Results, result: WorkloadResult): string => {
  const { id, title, performances } = result;
  const correct = performances.filter(({ wrong }) => !wrong);
  const table = correct.length > 0 ? renderTable(columnsFor(results, id), correct, plainText) : '';
  return `${id}  ${title}\n${table}${performances.map(formatWrongResponse).join('')}`;
};
